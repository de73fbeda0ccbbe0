"""What can be done to an execution, one module per use case: load, decide, commit."""
