"""The ASGI application by its former name, which units that start a server may have."""

from ctxadmin.config.asgi import application

__all__ = ["application"]
