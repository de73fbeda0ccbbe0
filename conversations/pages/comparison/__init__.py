"""Pages that compare batches: the list of revisions, and the differences of two views."""
