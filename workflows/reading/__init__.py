"""Reads workflows for answers, pages and files: lists, versions, and what executions know of them."""
