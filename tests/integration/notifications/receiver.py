"""A server that takes webhooks, remembers them, and answers as a test wants."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from types import TracebackType
from typing import Any, Self

import orjson

from tests.openapi import checked_webhook

POLL_SECONDS = 0.01  # a server that is told to end looks so often if it was; the usual is 0.5


@dataclass(frozen=True)
class Got:
    """One request that came in."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def json(self) -> Any:
        return checked_webhook(orjson.loads(self.body))


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A sender that was killed, or waits no longer, is no error of a test."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Receiver:
    """Answers with ``status``; while it is held it answers nobody."""

    def __init__(self) -> None:
        self.got: list[Got] = []
        self.status = 204
        self.answer: dict[str, str] = {}
        self.body = b""
        self.asked = Event()
        self._go_on = Event()
        self._go_on.set()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append(Got(self.path, dict(self.headers), body))
                receiver.asked.set()
                receiver._go_on.wait(60)
                self.send_response(receiver.status)
                for name, value in receiver.answer.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(receiver.body)))
                self.end_headers()
                self.wfile.write(receiver.body)

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing is written into the output of tests."""

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, args=[POLL_SECONDS], daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.go_on()
        self._server.shutdown()
        self._server.server_close()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?from=ctxadmin"

    def hold(self) -> None:
        self.asked.clear()
        self._go_on.clear()

    def go_on(self) -> None:
        self._go_on.set()

    @property
    def kinds(self) -> list[str]:
        return [each.json["type"] for each in self.got]
