"""The filters of nodes and edges, and the context types of nodes."""
