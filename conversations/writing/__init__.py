"""A transaction that writes one conversation, and what follows its commit."""
