"""The pages of what models used and what it cost."""
