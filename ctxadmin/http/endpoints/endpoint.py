"""The base of every REST endpoint: reads the body, calls one service, answers."""

from typing import Any, ClassVar, Final, TypeVar

import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from pydantic import JsonValue
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from ctxadmin.http import problems
from ctxadmin.http.described import IF_MATCH, description_of
from ctxadmin.http.endpoints import etags, idempotency
from ctxadmin.http.endpoints.json_body import StrictJsonParser
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.contract import Contract, parse
from ctxadmin.lib.errors import FieldProblem, ValidationFailed
from ctxadmin.lib.sentence import say

ContractT = TypeVar("ContractT", bound=Contract)
_MOST_NAMED: Final = 20  # unknown parameters


class Endpoint(APIView):
    """One path of the contract.

    A write with an ``Idempotency-Key`` runs once: its effect and its answer are stored in one
    transaction. ``made_conversation`` is set by one that created a conversation, with whose erasure
    the answer is deleted.
    """

    max_body_bytes: ClassVar[int] = settings.MAX_BODY_BYTES
    keep_answers: ClassVar[bool] = True
    made_conversation: int | None = None
    parser_classes = [StrictJsonParser]
    # OPTIONS is no method of the contract, so that ``Allow`` must not name it.
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]

    @property
    def actor(self) -> Actor:
        actor = self.request.auth
        if not isinstance(actor, Actor):
            raise NotAuthenticated("This needs a token or a session.")
        return actor

    def body(self, model: type[ContractT]) -> ContractT:
        """Parses the request's body as ``model``, once; ValidationFailed names the wrong fields.

        The source is released: 50,000 messages of one letter take 17 MB there.
        """
        return parse(model, self.take_data())

    def take_data(self) -> JsonValue:
        """The JSON of the body, once: the request lets go of it."""
        data: JsonValue = self.request.data
        self.request._full_data = self.request._data = {}  # type: ignore[attr-defined]
        return data

    def query_int(self, name: str, default: int | None = None) -> int | None:
        """Returns a whole number of the query string; raises ValidationFailed for anything else."""
        text = self.request.query_params.get(name)
        if text is None:
            return default
        digits = text[1:] if text.startswith("-") else text
        if not digits.isascii() or not digits.isdigit() or len(digits) > 18:
            raise ValidationFailed.at(f"?{name}", say("{name} must be a whole number.", name=name))
        return int(text)

    def query_flag(self, name: str) -> bool:
        """Returns ``true`` or ``false`` of the query string; missing is false."""
        text = self.request.query_params.get(name, "false")
        if text not in ("true", "false"):
            raise ValidationFailed.at(f"?{name}", say("{name} must be true or false.", name=name))
        return text == "true"

    def expected_version(self, given: int | None) -> int | None:
        """Returns ``expected_version`` of the body or of If-Match; refuses two different ones."""
        return etags.expected_version(self.request.headers.get("If-Match"), given)

    def idempotency_stream(self) -> int:
        """Returns the shard that stores the answers of this path: of the workspace by default."""
        return self.actor.workspace

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answers, and releases the request when the answer is closed.

        View, DRF's request and its answer refer to each other, so a body of 10 MB would stay in
        memory until the garbage collector runs.
        """
        response = super().dispatch(request, *args, **kwargs)
        response._resource_closers.append(self._release)  # type: ignore[attr-defined]
        return response

    def _release(self) -> None:
        """Breaks the cycles of a completed request."""
        self.request.parser_context.clear()
        if isinstance(self.response, Response):
            self.response.renderer_context.clear()  # type: ignore[attr-defined]
        self.__dict__.clear()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self._refuse_without_rights(request)
        self._refuse_unknown_query(request)
        self._refuse_if_match(request)
        key = request.headers.get("Idempotency-Key")
        if key is not None and request.method in ("POST", "PATCH") and self.keep_answers:
            self._run_once(key, request)

    def _refuse_without_rights(self, request: Request) -> None:
        """Refuses a caller without the right before the body is read, which costs most."""
        about = description_of(getattr(self, (request.method or "").lower(), None))
        if about is None or about.body is None or about.needs is None:
            return
        if about.or_needs is None or not self.actor.may(about.or_needs):
            self.actor.require_to_own(about.needs)

    def _refuse_unknown_query(self, request: Request) -> None:
        """Refuses unknown parameters: they must not look as if they had been honored."""
        method = "get" if request.method == "HEAD" else (request.method or "").lower()
        about = description_of(getattr(self, method, None))
        if about is None or not request.query_params:
            return
        here = [each for each in about.parameters if each.place == "query"]
        known = sorted(each.label for each in here)
        text = say("unknown parameter; known here: {names}", names=", ".join(known) or "none")
        wrong = [
            name for name in request.query_params if not any(each.matches(name) for each in here)
        ]
        if wrong:
            problems = [FieldProblem(f"?{name}", text) for name in wrong[:_MOST_NAMED]]
            raise ValidationFailed(
                say("The query string does not match the contract."), problems=problems
            )

    def _refuse_if_match(self, request: Request) -> None:
        """Refuses an unsupported If-Match: it must not look as if the condition had been
        checked.
        """
        if request.method in SAFE_METHODS or "If-Match" not in request.headers:
            return
        about = description_of(getattr(self, (request.method or "").lower(), None))
        if about is not None and IF_MATCH not in about.parameters:
            text = say("This call takes no If-Match: it creates something, or changes nothing.")
            raise ValidationFailed.at("If-Match", text)

    def _run_once(self, key: str, request: Request) -> None:
        """Replaces this request's handler by one that stores its answer."""
        method = (request.method or "").lower()
        handler = getattr(self, method, None)
        if handler is None:
            return  # the method is not allowed, and dispatch says so

        def once(inner: Request, *args: Any, **kwargs: Any) -> HttpResponse:
            call = idempotency.IdempotentCall.of(inner, key, self.actor, self.idempotency_stream())
            return idempotency.run_once(
                call,
                lambda: _rendered(handler(inner, *args, **kwargs)),
                about=lambda: self.made_conversation,
            )

        setattr(self, method, once)


def _rendered(response: HttpResponse) -> HttpResponse:
    """Returns a DRF response as plain bytes, so that it can be stored."""
    if not isinstance(response, Response):
        return response
    data = b"" if response.data is None else orjson.dumps(response.data)
    plain = HttpResponse(data, status=response.status_code, content_type="application/json")
    for name, value in response.headers.items():
        if name.lower() != "content-type":
            plain[name] = value
    return plain


def unknown_path(request: HttpRequest) -> HttpResponse:
    """Answers every path under the base that is no endpoint: not found, whatever the method."""
    return problems.problem(404, "not_found", "There is no such path.")
