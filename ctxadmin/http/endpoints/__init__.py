"""What REST endpoints are built from: the base class, bodies, cursor pages, ETags, idempotency."""
