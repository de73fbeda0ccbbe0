"""Maintenance of what executions stored: thinning, its policies, one run at a time."""
