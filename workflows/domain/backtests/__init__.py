"""Backtests: what policies for the context would have cost on recorded conversations."""
