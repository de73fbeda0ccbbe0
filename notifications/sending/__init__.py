"""How something leaves: by HTTP to an address that is looked at, and by mail."""
