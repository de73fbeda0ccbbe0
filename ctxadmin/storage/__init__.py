"""Databases, tables, statement batches, fields, Redis."""
