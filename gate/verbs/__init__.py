"""What can be done to actions and holds: each verb is a function over one open transaction."""
