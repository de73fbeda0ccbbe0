"""Formats in which providers take messages: one module a provider, listed in ``formats``."""
