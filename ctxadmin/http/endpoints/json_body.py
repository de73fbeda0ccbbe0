"""The strict JSON body of a request."""

from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from pydantic import JsonValue
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser

from ctxadmin.lib.errors import TooLarge
from ctxadmin.lib.json_bytes import loads_strict
from ctxadmin.lib.sentence import say


class StrictJsonParser(BaseParser):
    """DRF's parser for ``application/json``; see ``read_body``."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:  # any JSON value; DRF's stubs know objects only
        request = (parser_context or {}).get("request")
        encoding = request.headers.get("Content-Encoding", "identity") if request else "identity"
        if encoding.strip().lower() not in ("", "identity"):
            raise UnsupportedMediaType(media_type or "", "Compressed bodies are not accepted.")
        view = (parser_context or {}).get("view")
        return read_body(stream, getattr(view, "max_body_bytes", settings.MAX_BODY_BYTES))


def read_body(stream: IO[bytes], limit: int) -> JsonValue:
    """Returns the value of a body of at most ``limit`` bytes.

    Raises TooLarge or ValidationFailed.

    An empty body is an empty object, so that requests without required fields need none.
    """
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise TooLarge(say("The body is larger than {n} bytes.", n=limit), limit=limit)
    if not data.strip():
        return {}
    return loads_strict(data)
