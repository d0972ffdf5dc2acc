"""Turn the policy files of other systems into ours; what cannot be carried over is said, never dropped."""
