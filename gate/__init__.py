"""Approval gate for AI agents."""
