"""Lines of batches and logs of calls: a request, its response, or both, with the call's id."""

from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from conversations.domain.imports.source_values import SourceValue

_REQUESTS: Final = ("body", "params", "request")
_RESPONSES: Final = ("response", "result")


@dataclass(frozen=True, slots=True)
class Envelope:
    """The content of a line; ``failed`` is a response that is an error."""

    request: SourceValue | None
    response: SourceValue | None
    failed: SourceValue | None
    fields: dict[str, JsonValue]


def is_envelope(value: JsonValue) -> bool:
    """Recognizes a line of a batch of OpenAI, Anthropic or Google, or a request with its
    response.
    """
    if not isinstance(value, dict) or "messages" in value or "run_type" in value:
        return False
    held = [name for name in (*_REQUESTS, *_RESPONSES) if isinstance(value.get(name), dict)]
    return bool(held) and ("custom_id" in value or "key" in value or "request" in held)


def open_envelope(place: SourceValue) -> Envelope:
    """Returns the request and the response of a line."""
    request = next((each for name in _REQUESTS if (each := place.get(name)).value), None)
    response = next((each for name in _RESPONSES if (each := place.get(name)).value), None)
    fields = place.unknown_fields(
        "custom_id", "key", "body", *_REQUESTS, *_RESPONSES, "method", "url", "id"
    )
    call = place.get("custom_id", "key", "id").value
    if call is not None:
        fields["custom_id"] = call
    if response is None:
        return Envelope(_inner(request), None, None, fields)
    answer = _inner(response)
    failed = _has_failed(response.value) or place.get("error").value is not None
    if failed:
        return Envelope(_inner(request), None, response, fields)
    return Envelope(_inner(request), answer, None, fields)


def _inner(place: SourceValue | None) -> SourceValue | None:
    """Returns the body of a request or response of HTTP, the message of a result."""
    if place is None:
        return None
    for name in ("body", "message"):
        if isinstance(place.get(name).value, dict):
            return place.get(name)
    return place


def _has_failed(response: JsonValue) -> bool:
    if not isinstance(response, dict):
        return True
    status, kind = response.get("status_code"), response.get("type")
    is_refused = isinstance(status, int) and status >= 400
    return is_refused or kind in ("errored", "canceled", "expired") or bool(response.get("error"))
