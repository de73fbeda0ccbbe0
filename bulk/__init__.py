"""Bulk actions: one action on many conversations or executions, as a job with a result for each."""
