"""The rules of bulk actions, without a database."""
