"""The client for asyncio; make_sync.py generates the one for threads in ``_sync`` from it."""
