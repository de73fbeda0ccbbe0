"""A conversation as a whole: archived, copied, exported and imported, erased."""
