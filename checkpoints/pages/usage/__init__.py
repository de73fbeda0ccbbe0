"""The pages of model usage and its cost."""
