"""The REST calls of bulk actions."""
