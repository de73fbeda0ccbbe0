"""The page that compares what policies would have cost on recorded conversations."""
