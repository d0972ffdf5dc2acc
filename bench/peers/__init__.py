"""Other gates beside this one: an allowed call with four arguments, each in an environment of its own."""
