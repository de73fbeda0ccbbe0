"""Webhooks, emails and browser notifications about executions."""
