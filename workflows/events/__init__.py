"""Changes of workflows as frames, for open pages."""
