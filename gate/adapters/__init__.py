"""What brings the tools of other systems to the gate."""
