"""The use cases of executions, one module each: load, decide, commit."""
