"""What is left of a former package: the path of fields in migrations."""
