"""The policy language: pure functions from YAML text and an action to a verdict."""
