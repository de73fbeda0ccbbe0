"""The transports: HTTP to a checked address, and mail."""
