"""Who did what and when: entries that are only added, in chains that are verified."""
