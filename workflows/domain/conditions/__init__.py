"""The language of conditions: from its text to an outcome."""
