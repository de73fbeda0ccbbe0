"""What nodes see: now, at an earlier version, and under another workflow."""
