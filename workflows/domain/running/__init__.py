"""A workflow that runs: the flow of context, and the edges that are taken."""
