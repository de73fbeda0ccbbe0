"""The saver and the worker for asyncio; those for threads in ``_sync`` are generated from them."""
