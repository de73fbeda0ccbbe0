"""Pure Python that every part shares; imports no framework."""
