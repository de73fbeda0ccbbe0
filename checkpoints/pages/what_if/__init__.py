"""Replays recorded executions with another workflow document."""
