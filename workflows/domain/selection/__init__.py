"""What filters and processors select by: patterns of names, sections, and messages."""
