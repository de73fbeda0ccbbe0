"""Backtests: stored conversations replayed under other policies, in processes."""
