"""The connection to Redis, which has verified copies and decides nothing; without it all is SQL."""
