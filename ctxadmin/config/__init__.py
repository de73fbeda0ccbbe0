"""The composition root: settings, paths, the ASGI application, and what serves it."""
