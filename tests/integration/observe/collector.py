"""A collector of traces on loopback: it keeps what is sent to it."""

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, Span

from tests.integration.notifications.receiver import POLL_SECONDS


class Collector:
    """Takes spans by HTTP and protobuf until it is left."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        bodies = self.bodies

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(
            target=self._server.serve_forever, args=[POLL_SECONDS], daemon=True
        ).start()
        return self

    def __exit__(self, *args: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def spans(self) -> list[Span]:
        return [
            span
            for resource in self._resources()
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def services(self) -> set[str]:
        """The names of the services that sent spans."""
        return {
            attribute.value.string_value
            for resource in self._resources()
            for attribute in resource.resource.attributes
            if attribute.key == "service.name"
        }

    def _resources(self) -> Iterator[ResourceSpans]:
        for body in list(self.bodies):
            yield from ExportTraceServiceRequest.FromString(body).resource_spans

    def wait_for(self, count: int, seconds: float = 30) -> None:
        """Wait until so many requests have come as spans."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if sum(span.kind == Span.SPAN_KIND_SERVER for span in self.spans()) >= count:
                return
            time.sleep(0.05)
