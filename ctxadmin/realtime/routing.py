"""Routes paths to sockets, beside HTTP."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from channels.routing import ProtocolTypeRouter, URLRouter
from django.urls import path

from ctxadmin.realtime.hubs import current_hub
from ctxadmin.realtime.page_socket import PageSocket

AsgiApp = Callable[[Any, Any, Any], Awaitable[None]]

_SOCKET: Final = PageSocket.as_asgi()
_SOCKETS: Final = URLRouter(
    [
        path("ws/workspace/", _SOCKET),
        path("ws/<str:kind>/<str:name>/", _SOCKET),
    ]
)


def with_sockets(http: AsgiApp) -> AsgiApp:
    """Returns the application with its sockets.

    Creates the hub of the loop before the first request.
    """

    async def announced(scope: Any, receive: Any, send: Any) -> None:
        current_hub()
        await http(scope, receive, send)

    router: AsgiApp = ProtocolTypeRouter({"http": announced, "websocket": _sockets})
    return router


async def _sockets(scope: Any, receive: Any, send: Any) -> None:
    try:
        await _SOCKETS(scope, receive, send)
    except ValueError as error:
        if not str(error).startswith("No route found"):
            raise
        await receive()
        await send({"type": "websocket.close"})  # before it is accepted: an answer of 403
