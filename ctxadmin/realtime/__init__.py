"""Announces changes to open pages and waiting calls by sockets that never write."""
