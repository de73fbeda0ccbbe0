"""The workflow document: its nodes and edges, their changes, and its YAML."""
