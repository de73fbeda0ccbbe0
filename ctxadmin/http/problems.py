"""Every error as problem+json (RFC 9457), in the one form of the contract."""

import logging
from collections.abc import Callable, Mapping
from typing import Final

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import Error
from django.http import Http404, HttpRequest, HttpResponse
from rest_framework import exceptions as drf

from ctxadmin.http.diagnosis import find_damage
from ctxadmin.lib.errors import (
    ContextError,
    Damaged,
    Duplicate,
    Forbidden,
    InvalidState,
    NotFound,
    TooLarge,
    Unavailable,
    ValidationFailed,
    VersionConflict,
)
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.lib.sentence import say
from ctxadmin.storage.database.errors import as_unavailable
from ctxadmin.telemetry.facts import note_refusal

CONTENT_TYPE: Final = "application/problem+json"
BASE_PATH: Final = "/api/v1"

_log = logging.getLogger("ctxadmin.http")

TITLES: Final[Mapping[str, str]] = {
    "validation": say("Invalid input"),
    "out_of_range": say("Position out of range"),
    "type_mismatch": say("Type mismatch"),
    "incompatible_context": say("Missing context"),
    "not_found": say("Not found"),
    "invalid_state": say("Not possible in this status"),
    "version_conflict": say("Changed while you were editing"),
    "duplicate": say("Already taken"),
    "forbidden": say("Not allowed"),
    "too_large": say("Too large"),
    "damaged": say("Damaged data"),
    "unavailable": say("Temporarily unavailable"),
    "unauthenticated": say("Not authenticated"),
    "method_not_allowed": say("Method not allowed"),
    "not_acceptable": say("Format not available"),
    "unsupported_media_type": say("Media type not supported"),
    "request_timeout": say("Request timeout"),
    "rate_limited": say("Too many requests"),
    "internal": say("Something went wrong"),
}

_CONFLICTS: Final = (InvalidState, VersionConflict, Duplicate, Damaged)


def problem(
    status: int,
    code: str,
    detail: str,
    *,
    extra: Mapping[str, object] | None = None,
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    """Returns an error as a response; ``extra`` adds members to those of every problem."""
    note_refusal(code)
    body = _body(status, code, detail) | dict(extra or {})
    return HttpResponse(dumps(body), status=status, content_type=CONTENT_TYPE, headers=headers)


def _body(status: int, code: str, detail: str) -> dict[str, object]:
    return {
        "type": f"/api/docs/errors#{code}",
        "title": TITLES.get(code, code),
        "status": status,
        "code": code,
        "detail": detail,
    }


def status_of(error: ContextError) -> int:
    """Returns the HTTP status of an error kind (rest.md, "Errors")."""
    if isinstance(error, ValidationFailed) and error.malformed:
        return 400
    if isinstance(error, NotFound):
        return 404
    if isinstance(error, _CONFLICTS):
        return 409
    if isinstance(error, Forbidden):
        return 403
    if isinstance(error, TooLarge):
        return 413
    if isinstance(error, Unavailable):
        return 503
    return 422


def of_error(error: ContextError, words: Callable[[str], str] = str) -> HttpResponse:
    """Returns a domain error as a response; ``words`` makes its texts those of a reader."""
    extra = error.extra()
    if error.problems:
        extra["errors"] = [
            item.as_json() | {"message": words(item.message)} for item in error.problems
        ]
    headers = {"Retry-After": str(error.retry_after)} if isinstance(error, Unavailable) else None
    return problem(status_of(error), error.code, words(error.detail), extra=extra, headers=headers)


def of_exception(error: Exception) -> HttpResponse:
    """Returns any exception as a response; an unknown one is logged, and its text is not shown."""
    if isinstance(error, ContextError):
        return of_error(error)
    if isinstance(error, Error):
        return _of_database(error)
    if isinstance(error, Http404 | drf.NotFound):
        return problem(404, "not_found", "There is nothing here.")
    if isinstance(error, drf.APIException):
        return _of_drf(error)
    if isinstance(error, PermissionDenied):
        return problem(403, "forbidden", str(error) or "This is not allowed.")
    if isinstance(error, RequestDataTooBig):
        return of_error(TooLarge(say("The body is too large."), limit=settings.MAX_BODY_BYTES))
    if isinstance(error, SuspiciousOperation):
        return problem(400, "validation", "The request cannot be read.")
    _log.error("unexpected %s", type(error).__name__, exc_info=error)
    damage = find_damage()
    return _internal() if damage is None else of_error(damage)


def _of_database(error: Error) -> HttpResponse:
    refusal = of_database(error)
    return _internal() if refusal is None else of_error(refusal)


def of_database(error: Error) -> Unavailable | None:
    """Logs a database error and returns its response; None if it is a fault of ctxadmin."""
    refusal = as_unavailable(error)
    what = "database refused" if refusal is None else "database is not available"
    _log.error("%s: %s", what, type(error).__name__, exc_info=error)
    return refusal


def _internal() -> HttpResponse:
    return problem(500, "internal", "Something went wrong; the request id is in the log.")


# DRF says these in a programmer's words, as ``Method "PATCH" not allowed.``
_WORDS: Final[Mapping[str, str]] = {
    "method_not_allowed": say("This path has no such method; the header Allow lists those it has."),
    "not_acceptable": say(
        "No answer in a format of the header Accept; application/json always works."
    ),
    "unsupported_media_type": say("Send the body as JSON, with Content-Type: application/json."),
}
_DRF_WORDS: Final = ("Method ", "Could not satisfy", "Unsupported media type")


def _of_drf(error: drf.APIException) -> HttpResponse:
    detail = str(error.detail) if isinstance(error.detail, str) else "The request is not valid."
    if isinstance(error, drf.NotAuthenticated | drf.AuthenticationFailed):
        headers = {"WWW-Authenticate": 'Bearer realm="ctxadmin"'}
        return problem(401, "unauthenticated", detail, headers=headers)
    if isinstance(error, drf.Throttled):
        wait = max(1, int(getattr(error, "wait", None) or 1))
        return problem(429, "rate_limited", detail, headers={"Retry-After": str(wait)})
    codes: Mapping[type[drf.APIException], str] = {
        drf.PermissionDenied: "forbidden",
        drf.MethodNotAllowed: "method_not_allowed",
        drf.NotAcceptable: "not_acceptable",
        drf.UnsupportedMediaType: "unsupported_media_type",
    }
    code = codes.get(type(error), "validation")
    if code in _WORDS and detail.startswith(_DRF_WORDS):
        detail = _WORDS[code]
    return problem(error.status_code, code, detail)


def exception_handler(error: Exception, context: Mapping[str, object]) -> HttpResponse:
    """DRF's hook: the same form for what its views raise."""
    response = of_exception(error)
    if response.status_code == 405:
        response["Allow"] = ", ".join(getattr(context.get("view"), "allowed_methods", ()))
    return response


def wants_json(request: HttpRequest) -> bool:
    """Returns True for a program: of the API, of the metrics, a script of a page.

    Such scripts prefer JSON, even where they also accept HTML.
    """
    if request.path.startswith("/api/") or request.path == "/metrics":
        return True
    return request.headers.get("Accept", "").startswith("application/json")
