"""The prompt context and messages of a node: their values, explained steps, joins."""
