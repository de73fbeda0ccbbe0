"""Webhooks, mail and browser notices of what happens to executions."""
