"""Renders answers as JSON bytes."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from ctxadmin.lib.json_bytes import dumps

_EMPTY: Final = b""


class JsonRenderer(BaseRenderer):
    """JSON by orjson; ``orjson.Fragment`` values are copied unchanged."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self,
        data: Any,  # whatever a view returns
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        return _EMPTY if data is None else dumps(data)


class JsonNegotiation(DefaultContentNegotiation):
    """Chooses by the Accept header; ``application/problem+json`` and ``*`` accept JSON too."""

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        accept = request.headers.get("Accept", "*/*")
        if "application/problem+json" in accept:
            first = next(iter(renderers))
            return first, first.media_type
        chosen: tuple[BaseRenderer, str] = super().select_renderer(
            request, renderers, format_suffix
        )
        return chosen

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        """Returns the parser of the content type; a body without one is read as JSON."""
        if not request.content_type:
            return next(iter(parsers))
        return super().select_parser(request, parsers)
