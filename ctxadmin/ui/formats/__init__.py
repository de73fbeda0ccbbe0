"""Formats of numbers where Django's own differ from those of browsers."""
