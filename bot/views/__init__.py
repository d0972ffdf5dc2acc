"""Pure functions from records to Block Kit; nothing in here talks to Slack or reads a clock."""
