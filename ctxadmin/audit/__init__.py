"""What was done, by whom and when: entries that are only added, in chains that are verified."""
