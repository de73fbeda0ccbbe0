"""The client for asyncio; that for threads in ``_sync`` is written from it by make_sync.py."""
