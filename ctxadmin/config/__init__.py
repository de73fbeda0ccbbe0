"""The composition root: settings, paths, the ASGI application, and its server."""
