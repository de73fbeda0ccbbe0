"""Executions: their state, checkpoints, and what people change while they are paused."""
