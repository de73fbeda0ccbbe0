"""The OpenAPI document: the paths of the contract with the descriptions of ``described``."""

import functools
import inspect
import re
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Final, get_origin

import orjson
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_safe
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from ctxadmin.http.described import SENT_EVENTS, Described, Parameter, SentEvent, description_of
from ctxadmin.http.error_catalogue import CATALOGUE
from ctxadmin.http.openapi_examples import examples
from ctxadmin.http.openapi_parts import HEADERS, PROBLEM, SIGNATURE, Json, headers
from ctxadmin.http.problems import BASE_PATH, CONTENT_TYPE
from ctxadmin.identity.roles import Action, Scope, allows_to_own, who_may

TAGS: Final = {
    "conversations": gettext_noop("Conversations"),
    "workflows": gettext_noop("Workflows and filters"),
    "checkpoints": gettext_noop("Executions, state, checkpoints"),
    "notifications": gettext_noop("Webhooks"),
    "bulk": gettext_noop("Bulk actions"),
    "ctxadmin": gettext_noop("Audit"),
    "search": gettext_noop("Search"),
}
_REF: Final = "#/components/schemas/{model}"
_PATH_PARAMETERS: Final = {
    "slug": "The slug of a workflow.",
    "conversation_id": "The id of a conversation.",
    "message": "The log index or the id of a message.",
    "checkpoint_id": "The id of a checkpoint, chosen by the engine.",
    "task_id": "The id of a task, chosen by the engine.",
    "node_id": "The id of a node of the workflow.",
    "version": "The number of a version.",
    "number": "The number of a version.",
    "name": "A name from the list.",
    "backtest_id": "The id of a backtest.",
    "job_id": "The id of a bulk action.",
    "webhook_id": "The id of a webhook.",
    "delivery_id": "The id of a delivery.",
}
_LONGEST_ID: Final = 64  # a longer one is not_found
_LONGEST: Final = {"node_id": 128}  # engines keep those that they have
_IDEMPOTENCY_KEY: Final = Parameter(
    "Idempotency-Key",
    "The call takes effect once; a repeat within 24 hours gets the same answer.",
    place="header",
    limits={"minLength": 1, "maxLength": 255},
)

_OF_EVERY_CALL: Final = (
    Parameter(
        "X-Request-ID",
        "An id of your own for this request; it is in the answer, the logs and the audit. "
        "One of another form is replaced.",
        place="header",
        limits={"pattern": "^[A-Za-z0-9._-]{1,64}$"},
    ),
    Parameter(
        "traceparent",
        "The trace that the request belongs to (W3C Trace Context).",
        place="header",
        limits={"pattern": "^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$"},
    ),
)


class Bearer(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """An engine token in the Authorization header."""

    target_class = "ctxadmin.http.endpoints.authentication.BearerAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> Json:
        return {"type": "http", "scheme": "bearer"}


class Browser(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The session of a signed-in person; writes send the CSRF token."""

    target_class = "ctxadmin.http.endpoints.authentication.BrowserAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: AutoSchema) -> Json:
        return {"type": "apiKey", "in": "cookie", "name": "ctxadmin"}


class Schema(AutoSchema):
    """One operation: the path by drf-spectacular, the rest by the description of its handler."""

    @property
    def description(self) -> Described | None:
        return description_of(self._handler)

    @property
    def _handler(self) -> object:
        return getattr(self.view, self.method.lower())

    def get_summary(self) -> str | None:
        return self.description.summary if self.description else None

    def get_description(self) -> str:  # type: ignore[override]
        parts = [inspect.getdoc(self._handler) or ""]
        if self.description and self.description.needs:
            parts.append(_needed(self.description.needs))
        return "\n\n".join(part for part in parts if part)

    def get_operation_id(self) -> str:
        if self.description is None:
            return str(super().get_operation_id())
        if self.description.operation_id:
            return self.description.operation_id
        words = re.findall("[a-z0-9]+", self.description.summary.lower())
        return "_".join(word for word in words if word not in ("a", "an", "the"))

    def _is_list_view(self, serializer: object = None) -> bool:
        return False  # answers are described as they are; nothing is guessed

    def get_tags(self) -> list[str]:
        app = type(self.view).__module__.partition(".")[0]
        return [TAGS.get(app, app)]

    def _get_parameters(self) -> list[Json]:
        found = super()._get_parameters()
        for parameter in found:
            name, schema = parameter["name"], parameter["schema"]
            parameter["description"] = _PATH_PARAMETERS.get(name, "")
            if schema["type"] == "string":
                schema["maxLength"] = _LONGEST.get(name, _LONGEST_ID)
            else:
                schema["minimum"] = 0
        parameters = self.description.parameters if self.description else ()
        if self.method in ("POST", "PATCH") and getattr(self.view, "keep_answers", False):
            parameters = (*parameters, _IDEMPOTENCY_KEY)
        return [*found, *(_parameter(each) for each in (*parameters, *_OF_EVERY_CALL))]

    def _get_request_body(self, direction: str = "request") -> Json | None:
        if self.description is None or self.description.body is None:
            return None
        schema = components().schema(self.description.body, "validation")
        types = self.map_parsers()
        content = {kind: {"schema": schema if "json" in kind else _BYTES} for kind in types}
        example = examples().get(self.get_operation_id(), {})
        if "body" in example:
            content["application/json"]["example"] = example["body"]
        return {"required": True, "content": content}

    def _get_response_bodies(self, direction: str = "response") -> Json:
        answers: Json = {}
        about = self.description
        for status in (about.status, *about.also) if about else (200,):
            answers[str(status)] = self._success(status)
        for code in sorted(self._error_codes()):
            known = CATALOGUE[code]
            answer = answers.setdefault(str(known.status), _problem([]))
            words = filter(None, [answer["description"], f"`{code}`: {known.meaning}"])
            answer["description"] = " ".join(words)
        if about and about.body is not None:
            answers["400"] = _problem([f"`validation`: {_MALFORMED}"])
        answers["default"] = _problem(["Any other problem; `code` is stable."])
        of_success = about.answer_headers if about else ()
        for number, answer in answers.items():
            if number != "default":
                answer["headers"] = headers(int(number), of_success)
        return dict(sorted(answers.items()))

    def _success(self, status: int) -> Json:
        answer: Json = {"description": HTTPStatus(status).phrase}
        if self.description is None or self.description.answer is None or status in _WITHOUT_BODY:
            return answer
        schema = components().schema(self.description.answer, "serialization")
        answer["content"] = {
            kind: {"schema": schema if "json" in kind else self._stream_or_yaml()}
            for kind in self.description.answer_types
        }
        answer["content"] |= {kind: {"schema": _TEXT_FILE} for kind in self.description.file_types}
        example = examples().get(self.get_operation_id(), {})
        if example.get("status") == status and "application/json" in answer["content"]:
            answer["content"]["application/json"]["example"] = example["answer"]
        return answer

    def _stream_or_yaml(self) -> Json:
        if self.description is None or self.description.event is None:
            return components().schema(self.description and self.description.yaml, "serialization")
        of_event = components().schema(self.description.event, "serialization")
        return {
            "type": "string",
            "description": "Server-sent events; the `data` of each is JSON of this schema.",
            "contentMediaType": "application/json",
            "contentSchema": of_event,
        }

    def _error_codes(self) -> set[str]:
        """Returns the described error codes, and those that every operation of this form can
        have.
        """
        codes = {"unauthenticated", "not_acceptable", "rate_limited", "unavailable", "internal"}
        codes.add("validation")  # of an unknown parameter, which every call refuses
        if self.description:
            names = {parameter["name"] for parameter in self._get_parameters()}
            codes |= {"version_conflict"} if "If-Match" in names else set()
            codes |= {"duplicate"} if "Idempotency-Key" in names else set()
            codes |= {"request_timeout"} if self.description.body else set()
            codes |= set(self.description.errors)
            codes |= {"forbidden"} if self.description.needs else set()
            codes |= {"too_large", "unsupported_media_type"} if self.description.body else set()
        if "{conversation_id}" in self.path:
            codes.add("damaged")
        return codes | ({"not_found"} if "{" in self.path else set())


_WITHOUT_BODY: Final = (204, 304)
_TEXT_FILE: Final[Json] = {"type": "string", "description": "A file, sent as it is read."}
_BYTES: Final[Json] = {"type": "string", "format": "binary"}  # clients send a file as it is
_MALFORMED: Final = "The body cannot be read: it is not JSON or YAML, or not UTF-8."


def _needed(action: Action) -> str:
    """Returns the scopes of which one is needed, in words."""
    scopes = who_may(action)
    text = f"Needs the scope {' or '.join(f'`{scope}`' for scope in scopes)}"
    if Scope.ENGINE not in scopes and allows_to_own([Scope.ENGINE], action):
        text += "; `engine` is enough in conversations that the same token created"
    return f"{text}."


def _parameter(parameter: Parameter) -> Json:
    return {
        "in": parameter.place,
        "name": parameter.name,
        "required": parameter.required,
        "description": parameter.text,
        "schema": parameter.schema(),
    }


def _problem(words: list[str]) -> Json:
    return {
        "description": " ".join(words),
        "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }


class Components:
    """The JSON Schemas of every model that the operations name.

    They are built together, so that two models of one name get different ones.
    """

    def __init__(self, models: list[tuple[Any, JsonSchemaMode]]) -> None:
        unique = {(_key(model), mode): model for model, mode in models}
        self._schemas, rest = TypeAdapter.json_schemas(
            [(key, mode, TypeAdapter(model)) for (key, mode), model in unique.items()],
            ref_template=_REF,
            schema_generator=_Generator,
        )
        self.definitions: Json = {"Problem": PROBLEM, **rest.get("$defs", {})}
        for name, schema in self.definitions.items():
            schema["title"] = name

    def schema(self, model: Any, mode: JsonSchemaMode) -> Json:
        """Returns the schema of one model, most often a reference."""
        return dict(self._schemas[_key(model), mode])


def _key(model: Any) -> str:
    if isinstance(model, type) and get_origin(model) is None:
        return f"{model.__module__}.{model.__qualname__}"
    return repr(model)


class _Generator(GenerateJsonSchema):
    """Pydantic's generator with short names, without warnings about defaults that are not JSON."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}

    def normalize_name(self, name: str) -> str:
        """Returns ``ConversationsAppliedAnswer`` for
        ``conversations.api.answers.AppliedAnswer``.
        """
        app, dot, rest = name.partition(".")
        if dot and "[" not in name:
            name = app.title() + rest.rpartition(".")[2]
        return super().normalize_name(name)

    def field_title_should_be_set(self, schema: object) -> bool:
        return False  # it would repeat the name of the field, and clients name types by it


@functools.cache
def components() -> Components:
    """Returns the components of all paths; the paths never change while a process runs."""
    models: list[tuple[Any, JsonSchemaMode]] = []
    for _, _, handler in operations():
        about = description_of(handler)
        if about and about.body is not None:
            models.append((about.body, "validation"))
        if about and about.answer is not None:
            models.append((about.answer, "serialization"))
        for model in (about.event, about.yaml) if about else ():
            if model is not None:
                models.append((model, "serialization"))
    models += [(event.body, "serialization") for event in SENT_EVENTS.values()]
    return Components(models)


def operations() -> Iterator[tuple[str, str, object]]:
    """Yields every operation under the base: path template, method and handler."""
    for path, _, method, callback in EndpointEnumerator().get_api_endpoints():  # type: ignore[no-untyped-call]
        if path.startswith(BASE_PATH):
            yield path, method, getattr(callback.cls, method.lower())


def add_components(result: Json, **_: object) -> Json:
    """A post-processing hook: adds the components that the operations refer to, sorted by name."""
    schemas = result["components"].setdefault("schemas", {})
    schemas.update(sorted(components().definitions.items()))
    result["components"]["headers"] = HEADERS
    result["webhooks"] = {event.name: {"post": _webhook(event)} for event in SENT_EVENTS.values()}
    return result


def _webhook(event: SentEvent) -> Json:
    schema = components().schema(event.body, "serialization")
    return {
        "operationId": f"receive_{event.name}",
        "summary": event.summary,
        "parameters": [_parameter(each) for each in SIGNATURE],
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
        "responses": {
            "2XX": {"description": "Received."},
            "410": {"description": "Gone: the webhook is paused."},
            "default": {"description": "Not received: it is sent again later."},
        },
    }


@functools.cache
def document() -> bytes:
    """Returns the whole document as JSON; built once per process."""
    with translation.override("en"):  # and not in the language of whoever asks first
        generator = SchemaGenerator()  # type: ignore[no-untyped-call]
        made: Json = generator.get_schema(  # type: ignore[no-untyped-call]
            request=None, public=True
        )
        return orjson.dumps(made)


@require_safe
def schema_view(request: HttpRequest) -> HttpResponse:
    """``GET /api/schema``."""
    return HttpResponse(document(), content_type="application/json")
