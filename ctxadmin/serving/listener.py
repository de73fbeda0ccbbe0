"""The socket on which a server listens."""

import errno
import socket


class PortTaken(Exception):
    """Another process listens there; the text says where."""


def bind(host: str, port: int) -> socket.socket:
    """Returns a socket of this address that does not listen yet; raises PortTaken, OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        bound.listen()
    except OSError as error:
        bound.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(f"Port {port} of {host} is in use.") from None
        raise
    return bound
