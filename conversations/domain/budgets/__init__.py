"""Budgets of tokens: a view is cut rarely and deeply, so that its prefix stays the same."""
