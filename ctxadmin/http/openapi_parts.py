"""The fixed parts of the OpenAPI document: the form of problems, and the headers."""

from typing import Any, Final

from ctxadmin.http.described import FROM_ZERO, Parameter
from ctxadmin.http.error_catalogue import CATALOGUE

Json = dict[str, Any]


def text(description: str, **more: object) -> Json:
    return {"type": "string", "description": description, **more}


def integer(description: str, **more: object) -> Json:
    return {"type": "integer", "description": description, **more}


def texts(description: str, example: str) -> Json:
    items = {"type": "string"}
    return {"type": "array", "description": description, "items": items, "examples": [[example]]}


PROBLEM: Final[Json] = {
    "type": "object",
    "description": "An error (RFC 9457). `code` is stable, `type` links to its explanation.",
    "required": ["type", "title", "status", "code", "detail"],
    "properties": {
        "type": text(
            "Address of the explanation of the code.",
            format="uri-reference",
            examples=["/api/docs/errors#version_conflict"],
        ),
        "title": text("Name of the code for a person.", examples=["Version conflict"]),
        "status": integer("HTTP status.", minimum=400, examples=[409]),
        "code": text("Stable code.", enum=list(CATALOGUE)),
        "detail": text("What is wrong, for a person.", examples=["The version is 14, not 13."]),
        "errors": {
            "type": "array",
            "description": "The invalid places of the input.",
            "items": {
                "type": "object",
                "required": ["pointer", "message", "code"],
                "properties": {
                    "pointer": text(
                        "A JSON pointer into the body, `?name` for a parameter, "
                        "or the name of a header.",
                        examples=["/messages/0/role"],
                    ),
                    "message": text(
                        "What is wrong there, for a person.", examples=["this field is required"]
                    ),
                    "code": text("Stable code of this problem.", examples=["validation"]),
                    "line": integer("Line in a text, from 1.", minimum=1, examples=[12]),
                    "column": integer("Column in a text, from 1.", minimum=1, examples=[5]),
                },
            },
        },
        "expected": {"description": "The version that the writer expected.", "examples": [13]},
        "actual": {"description": "The current version.", "examples": [14]},
        "changed_keys": texts("Names of the state keys that changed in between.", "draft"),
        "missing": texts("Names of the missing context.", "draft"),
        "indices": {
            "type": "array",
            "description": "Log indices of messages that do not fit together.",
            "items": {"type": "integer", "minimum": 0},
            "examples": [[4, 5]],
        },
        "key": text("Name of the state key.", examples=["draft"]),
        "limit": integer(
            "The limit in bytes, keys or units of work.", minimum=0, examples=[16777216]
        ),
        "status_now": text("Status of the execution.", examples=["PAUSED"]),
        "ready_nodes": texts("Ids of the nodes that can be completed now.", "review"),
        "held_by": text("Who has a lease of the node.", examples=["token:engine"]),
        "until": text(
            "When that lease expires (ISO 8601, UTC).",
            format="date-time",
            examples=["2026-07-01T09:30:00.000000Z"],
        ),
    },
}


def _header(schema: Json) -> Json:
    return {"description": schema["description"], "schema": schema}


HEADERS: Final[Json] = {
    "X-Request-ID": _header(
        text("Id of the request in the logs and the audit; that of the caller if it sent one.")
    ),
    "ETag": _header(
        text("What was read; send it as If-Match or If-None-Match.", examples=['"13.3.12"'])
    ),
    "Location": _header(
        text("Path of what was created.", examples=["/api/v1/conversations/support-42"])
    ),
    "Retry-After": _header(
        integer("Seconds to wait before the next attempt.", minimum=1, examples=[5])
    ),
    "WWW-Authenticate": _header(text("How to sign in.", examples=['Bearer realm="ctxadmin"'])),
}
_OF_STATUS: Final = {401: "WWW-Authenticate", 429: "Retry-After", 503: "Retry-After"}


def headers(status: int, of_success: tuple[str, ...] = ()) -> Json:
    """Returns references to the headers of an answer with this status."""
    names = ["X-Request-ID", *(of_success if status < 400 else ())]
    if status in _OF_STATUS:
        names.append(_OF_STATUS[status])
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


SIGNATURE: Final = (
    Parameter("webhook-id", "Id of the delivery, the same at every attempt.", str, True, "header"),
    Parameter(
        "webhook-timestamp",
        "When this attempt was signed, in Unix seconds.",
        int,
        True,
        "header",
        limits=FROM_ZERO,
    ),
    Parameter(
        "webhook-signature",
        "One or two signatures of id, timestamp and body (Standard Webhooks), with spaces between.",
        required=True,
        place="header",
    ),
)
