"""Reads executions for answers and pages: snapshots, lists, histories, reviews."""
