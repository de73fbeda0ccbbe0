"""Messages, views of them, batches and operations."""
