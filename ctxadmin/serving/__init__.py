"""The processes of a server, which share the connections of one port."""
