"""Sums over executions: usage and its cost, runs, waits, estimates."""
