"""Watching executions: the list, one of them, its versions, its canvas, comments."""
