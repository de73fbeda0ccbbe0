"""The live copy: the most-read content in Redis, verified before every use."""
