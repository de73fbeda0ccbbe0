"""What `verify` compares of executions: heads, states, manifests and versions."""
