"""The pages of the audit: its list with filters, and one entry."""
