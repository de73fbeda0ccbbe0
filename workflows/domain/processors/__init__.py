"""Processors and transforms by name: builtins, and those of installed packages."""
