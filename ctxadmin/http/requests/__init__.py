"""A request until an endpoint gets it: body, limits, threads, the fast path of frequent writes."""
