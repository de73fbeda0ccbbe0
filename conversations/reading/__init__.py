"""Reads conversations for answers and pages: messages, search, differences, history."""
