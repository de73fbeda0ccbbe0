"""HTTP below the pages: handler, bodies, problems, idempotency, endpoints, the fast path."""
