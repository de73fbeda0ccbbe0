"""Workspaces, people and their sessions, tokens."""
