"""The problems of a draft, found before it is published."""
