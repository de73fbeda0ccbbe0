"""Workflows in SQL, and their documents as this process has parsed them."""
