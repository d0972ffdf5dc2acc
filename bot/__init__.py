"""The Slack side of the approval gate: cards, clicks and people."""
