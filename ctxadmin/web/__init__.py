"""The former path of fields, which migrations import."""
