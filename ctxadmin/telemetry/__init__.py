"""Metrics, logs and traces of the running system; never content."""
