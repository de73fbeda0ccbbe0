"""Writing an execution: what one transaction does to it, until its next version is stored."""
