"""Template tags of conversations."""
