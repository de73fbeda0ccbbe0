"""What can be done with webhooks and choices, one module per use case: load, decide, commit."""
