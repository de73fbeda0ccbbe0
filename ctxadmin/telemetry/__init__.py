"""What is seen of the running system: metrics, logs, traces; never content."""
