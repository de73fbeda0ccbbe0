"""Resolves the IP addresses of a url's host."""

import socket
from collections.abc import Sequence
from threading import Thread
from typing import Final

from notifications.domain.addresses import Address, Ip, literal

_SECONDS: Final = 2.0


def resolve_host(address: Address) -> Sequence[Ip]:
    """Returns the IP addresses of a url's host, however it is written.

    OSError if there are none.
    """
    infos = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    found = [literal(str(info[4][0]).partition("%")[0]) for info in infos]
    return list(dict.fromkeys(each for each in found if each is not None))


def look_up_with_timeout(address: Address) -> Sequence[Ip]:
    """Returns the addresses; none if the host is unknown, or not found within two seconds."""
    found: list[Ip] = []

    def look() -> None:
        try:
            found.extend(resolve_host(address))
        except OSError:
            return

    thread = Thread(target=look, name="look-up", daemon=True)
    thread.start()
    thread.join(_SECONDS)
    return () if thread.is_alive() else found
