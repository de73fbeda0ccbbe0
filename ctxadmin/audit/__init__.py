"""Who did what and when: append-only entries, in chains that are verified."""
