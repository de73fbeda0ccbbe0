"""The checks of `verify` on executions: heads, states, manifests and versions."""
