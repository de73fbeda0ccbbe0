"""Workspaces, people and their sessions, tokens: who is who, and what changes about them."""
