"""The link to Redis, which holds checked copies and decides nothing; without it all is SQL."""
