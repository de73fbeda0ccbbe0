"""The use cases of webhooks and preferences, one module each: load, decide, commit."""
