"""One POST to an address that a person entered: no private networks, no redirects, short
timeouts.

The name is resolved once and the connection goes to the very address that was checked, so that no
second answer of a name server can lead elsewhere.
"""

import socket
import ssl
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from threading import Timer
from typing import Final

from notifications.domain.addresses import Address, Ip, Network, is_allowed
from notifications.sending.host_lookup import resolve_host
from notifications.sending.outcome import DeliveryOutcome, Problem

CONNECT_SECONDS: Final = 5.0
ANSWER_SECONDS: Final = 15.0  # for everything behind the look-up of the name
_MOST_TRIED: Final = 2  # addresses of one name
_READ_BYTES: Final = 16 * 1024  # of an answer, which is not looked at
_TLS: Final = ssl.create_default_context()


def post(
    address: Address, body: bytes, headers: Mapping[str, str], allowed: Sequence[Network]
) -> DeliveryOutcome:
    """Sends a body; delivered if the answer is 2xx. Raises nothing."""
    try:
        found = resolve_host(address)
    except OSError:
        return DeliveryOutcome(Problem.NAME)
    may = [each for each in found if is_allowed(each, allowed)]
    if not may:
        return DeliveryOutcome(Problem.PRIVATE if found else Problem.NAME)
    outcome = DeliveryOutcome(Problem.CONNECTION)
    for ip in may[:_MOST_TRIED]:
        outcome = _post_to(ip, address, body, headers)
        if outcome.problem is not Problem.CONNECTION:
            break
    return outcome


class PinnedConnection(HTTPConnection):
    """A connection to one IP address that requests the host of the url."""

    def __init__(self, ip: Ip, address: Address) -> None:
        super().__init__(address.host, address.port, timeout=CONNECT_SECONDS)
        self.default_port = 443 if address.tls else 80  # which the header Host leaves out
        self.broken_off = False
        self._ip = ip
        self._address = address

    def connect(self) -> None:
        family = socket.AF_INET6 if self._ip.version == 6 else socket.AF_INET
        self.sock = socket.socket(family, socket.SOCK_STREAM)
        self.sock.settimeout(CONNECT_SECONDS)
        self.sock.connect((str(self._ip), self.port))
        if self._address.tls:
            self.sock = _TLS.wrap_socket(self.sock, server_hostname=self._address.host)
        self.sock.settimeout(ANSWER_SECONDS)

    def abort(self) -> None:
        """Closes the connection from another thread, which also ends an answer that arrives in
        drops.
        """
        self.broken_off = True
        with suppress(OSError):
            if self.sock is not None:
                self.sock.shutdown(socket.SHUT_RDWR)


def _post_to(ip: Ip, address: Address, body: bytes, headers: Mapping[str, str]) -> DeliveryOutcome:
    connection = PinnedConnection(ip, address)
    watch = Timer(ANSWER_SECONDS, connection.abort)
    watch.daemon = True
    watch.start()
    try:
        connection.request("POST", address.path, body, dict(headers))
        answer = connection.getresponse()
        status = answer.status
        answer.read(_READ_BYTES)
    except TimeoutError:
        return DeliveryOutcome(Problem.TIMEOUT)
    except ssl.SSLError:
        return DeliveryOutcome(Problem.TLS)
    except (OSError, HTTPException):
        return DeliveryOutcome(Problem.TIMEOUT if connection.broken_off else Problem.CONNECTION)
    finally:
        watch.cancel()
        connection.close()
    return _judged(status)


def _judged(status: int) -> DeliveryOutcome:
    if 200 <= status < 300:
        return DeliveryOutcome(None, status)
    if 300 <= status < 400:
        return DeliveryOutcome(Problem.REDIRECT, status)
    if status == 410:
        return DeliveryOutcome(Problem.GONE, status, final=True)
    return DeliveryOutcome(Problem.ANSWER, status)
