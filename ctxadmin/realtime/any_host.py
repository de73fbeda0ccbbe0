"""Connects to any available node of a Redis Cluster: each node delivers what one publishes."""

from collections.abc import Sequence
from typing import Any

from redis.asyncio.connection import Connection, SSLConnection
from redis.exceptions import ConnectionError as NotConnected
from redis.exceptions import TimeoutError as TooSlow


class AnyHostConnection(Connection):
    """Connects to one of ``hosts``: to the previous one, and if that fails to the next."""

    def __init__(self, *, hosts: Sequence[tuple[str, int]], **options: Any) -> None:
        super().__init__(host=hosts[0][0], port=hosts[0][1], **options)
        self._hosts = hosts
        self._at = 0

    async def connect(self) -> None:
        failed: NotConnected | TooSlow | None = None
        for _ in self._hosts:
            self.host, self.port = self._hosts[self._at]
            try:
                await super().connect()  # type: ignore[no-untyped-call]
            except (NotConnected, TooSlow) as error:
                failed = error
                self._at = (self._at + 1) % len(self._hosts)
            else:
                return
        raise failed or NotConnected("no host is named")


class AnyHostTlsConnection(AnyHostConnection, SSLConnection):
    """The same with TLS."""
