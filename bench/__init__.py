"""What the gate costs, as ratios taken in one run; nothing here is a test."""
