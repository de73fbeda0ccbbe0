"""Where everything is kept: databases, tables, statement batches, fields, Redis."""
