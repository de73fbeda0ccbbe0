"""The facts of the current request: ids, counts, times; never content."""

import re
import secrets
from collections.abc import Iterable
from contextvars import ContextVar
from typing import Final

from django.http import HttpRequest

from ctxadmin.identity.actor import Actor
from ctxadmin.lib.ids import is_public_id
from ctxadmin.telemetry import metrics

SCOPE_KEY: Final = "ctxadmin.facts"
NO_ROUTE: Final = "unknown"
CLIENT_GONE: Final = 499  # as nginx tells it
_REQUEST_ID: Final = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_TRACEPARENT: Final = re.compile(rb"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?")
_PLACE: Final = re.compile(r"<(?:\w+:)?(\w+)>")


class Facts:
    """One request for logs, metrics and traces; filled while it is answered.

    ``route`` is the template of the path, so that it has no id and no text of a caller. ``code`` is
    that of the answered error, if any.
    """

    __slots__ = (
        *("actor", "code", "conversation", "parent", "request_id", "route", "status"),
        "trace_id",
    )

    def __init__(self, request_id: str, parent: str = "") -> None:
        self.request_id = request_id
        self.parent = parent  # the traceparent of the caller
        self.trace_id = parent.split("-")[1] if parent else ""
        self.route = NO_ROUTE
        self.status = CLIENT_GONE  # until something is answered
        self.actor: Actor | None = None
        self.conversation = ""
        self.code = ""

    def ids(self) -> dict[str, str]:
        """Returns the ids of the request and, as far as known, of its caller and object."""
        ids = {"request_id": self.request_id}
        if self.trace_id:
            ids["trace_id"] = self.trace_id
        if self.actor is not None:
            ids["actor"] = f"{self.actor.kind}:{self.actor.id}"
            ids["workspace"] = str(self.actor.workspace)
            if self.conversation:  # of strangers it may be any text
                ids["conversation"] = self.conversation
        return ids


current: ContextVar[Facts | None] = ContextVar("ctxadmin_facts", default=None)


def facts_of_headers(headers: Iterable[tuple[bytes, bytes]]) -> Facts:
    """Returns facts with the caller's ids, if they are plain.

    Else a new request id and no trace.
    """
    request_id = parent = b""
    for name, value in headers:
        if name == b"x-request-id" and _REQUEST_ID.fullmatch(value):
            request_id = value
        elif name == b"traceparent" and _TRACEPARENT.fullmatch(value):
            parent = value
    return Facts(request_id.decode() or secrets.token_hex(8), parent.decode("latin-1"))


def facts_of(request: HttpRequest) -> Facts:
    """Returns the facts that the ASGI application attached; new ones without it."""
    scope = getattr(request, "scope", None)
    facts = scope.get(SCOPE_KEY) if scope is not None else None
    if isinstance(facts, Facts):
        return facts
    given = request.headers.get("X-Request-ID", "").encode("latin-1", "replace")
    return facts_of_headers([(b"x-request-id", given)])


def note_route(request: HttpRequest, facts: Facts) -> None:
    """Records the route of the request, and its conversation."""
    match = request.resolver_match
    if match is None:
        return
    facts.route = template_of(match.route)
    conversation = match.kwargs.get("conversation_id", "")
    if is_public_id(conversation):
        facts.conversation = conversation


def note_actor(actor: Actor, request: HttpRequest | None = None) -> None:
    """Records the caller, and the Django request, so that later events can name both."""
    facts = current.get()
    if facts is not None:
        facts.actor = actor
        if request is not None:
            note_route(request, facts)


def note_refusal(code: str) -> None:
    """Counts an error that is answered, and records its code."""
    metrics.count_refusal(code)
    facts = current.get()
    if facts is not None:
        facts.code = code


_templates: dict[str, str] = {}


def template_of(route: str) -> str:
    """Returns Django's route in the contract's form:
    ``/api/v1/conversations/{conversation_id}``.

    There are few routes, all in the code, so they are all cached. A catch-all route has none.
    """
    found = _templates.get(route)
    if found is None:
        found = NO_ROUTE if "*" in route else "/" + _PLACE.sub(r"{\1}", route)
        _templates[route] = found
    return found
