"""Backtests: what context policies would have cost on recorded conversations."""
