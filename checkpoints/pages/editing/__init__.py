"""The pages on which the state of a paused execution is edited."""
