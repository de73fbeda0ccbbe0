"""Definitions of workflows: nodes, edges, filters and their versions."""
