"""Formats in which providers take messages: one module per provider, listed in ``formats``."""
