"""Watching executions: the list, one execution, its versions, its canvas, comments."""
