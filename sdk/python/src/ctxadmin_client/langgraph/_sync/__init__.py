"""The client for threads, written by make_sync.py from ``_async``."""
