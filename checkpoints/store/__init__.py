"""Executions, their versions and what belongs to them in SQL."""
