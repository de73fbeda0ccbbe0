"""A package whose import fails, for the tests of entry points."""

raise RuntimeError("half built")
