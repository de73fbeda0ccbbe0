"""The ASGI application by its former name, which existing service units can refer to."""

from ctxadmin.config.asgi import application

__all__ = ["application"]
