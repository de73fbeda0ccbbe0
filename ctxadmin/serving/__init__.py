"""How processes share the connections of one port."""
