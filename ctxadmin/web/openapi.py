"""The OpenAPI document: what every operation of the contract has in common."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema


class Bearer(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """An engine token in the Authorization header."""

    target_class = "ctxadmin.web.authentication.BearerAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer"}


class Browser(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The session of a signed-in person; writes send the CSRF token."""

    target_class = "ctxadmin.web.authentication.BrowserAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {"type": "apiKey", "in": "cookie", "name": "ctxadmin"}


class Schema(AutoSchema):
    """An operation with the problem+json answers that every call may give."""

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        operation = super().get_operation(*args, **kwargs)
        if operation is not None:
            operation["responses"].setdefault("default", _PROBLEM_RESPONSE)
        return operation


_PROBLEM_RESPONSE = {
    "description": "A problem; `code` is stable, `errors` names the wrong fields.",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "code", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string"},
        "detail": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["pointer", "message", "code"],
                "properties": {
                    "pointer": {"type": "string"},
                    "message": {"type": "string"},
                    "code": {"type": "string"},
                },
            },
        },
        "expected": {},
        "actual": {},
        "changed_keys": {"type": "array", "items": {"type": "string"}},
    },
}


def add_problem_schema(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """A post-processing hook: the component that every default response refers to."""
    result["components"].setdefault("schemas", {})["Problem"] = _PROBLEM
    return result
