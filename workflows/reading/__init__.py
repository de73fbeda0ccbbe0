"""Reads workflows for answers, pages and files, and asks what executions know of them."""
