"""The pages of bulk actions."""
