"""A scripted support agent at work behind the gate: the main job, end to end, with no model and no Slack."""
