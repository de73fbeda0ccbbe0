"""What an endpoint takes and answers, said beside its code for the OpenAPI document.

Each handler of an ``Endpoint`` carries one line that names its models::

    class Workflows(Endpoint):
        @described("List workflows", answer=ListOf[WorkflowAnswer], query=PAGE)
        def get(self, request: Request) -> Response: ...

        @described(
            "Make a workflow",
            body=CreateWorkflow,
            answer=WorkflowAnswer,
            status=201,
            errors=("duplicate",),
            needs=Action.WORKFLOW_CHANGE,
        )
        def post(self, request: Request) -> Response: ...

``body`` is the Contract model that the handler reads. ``answer`` is an ``Answer`` model (or any
type that pydantic knows, e.g. ``ListOf[Model]``); none is an empty answer, 204. The description is
the handler's docstring, if it has one. Path parameters, the Idempotency-Key header, the errors of
authentication, paths and bodies come by themselves; ``errors`` names the codes beyond those.
``ctxadmin.http.openapi`` reads it all; ``tests/integration/test_openapi.py`` fails for a handler
without such a line. Nothing here changes what an endpoint does.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, WithJsonSchema
from pydantic_core import CoreSchema, core_schema
from rest_framework.response import Response

from ctxadmin.http.endpoints.pagination import DEFAULT_LIMIT, MAX_LIMIT
from ctxadmin.identity.roles import Action
from ctxadmin.lib.contract import DescribedBy

HandlerT = TypeVar("HandlerT", bound=Callable[..., object])
ItemT = TypeVar("ItemT")
_ATTRIBUTE: Final = "described"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the query string or a header; ``kind`` is the type of its text.

    A ``dict`` stands for all parameters that begin with its name and a dot.
    """

    name: str
    text: str
    kind: type = str
    required: bool = False
    place: str = "query"
    limits: Mapping[str, object] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Returns its name in errors."""
        return f"{self.name}.*" if self.kind is dict else self.name

    def matches(self, name: str) -> bool:
        """Returns True for a query parameter that this one describes."""
        if self.kind is dict:
            return name.startswith(f"{self.name}.")
        return name == self.name

    def schema(self) -> dict[str, object]:
        """Returns its JSON Schema."""
        if self.kind is dict:
            pattern = f"^{self.name}\\."
            texts = {pattern: {"type": "string"}}
            return {"type": "object", "patternProperties": texts, "additionalProperties": False}
        names = {str: "string", int: "integer", bool: "boolean"}
        return {"type": names[self.kind], **self.limits}


def one_or_more_of(names: Iterable[str]) -> Mapping[str, object]:
    """Returns the limits of a parameter that takes names with commas between."""
    known = "|".join(map(re.escape, names))
    return {"pattern": f"^(?:(?:{known})(?:,(?:{known}))*)?$"}


FROM_ZERO: Final = {"minimum": 0}
# A number of a change or a place in a feed, and what names something that is looked up: another
# text is not found.
DIGITS: Final = {"pattern": "^[0-9]{1,18}$"}
NAME: Final = {"maxLength": 64}
PAGE: Final = (
    Parameter(
        "cursor",
        "Start of the page: `next` of the previous page.",
        limits={"pattern": "^[A-Za-z0-9_-]*={0,2}$"},
    ),
    Parameter(
        "limit",
        "Number of results at most.",
        int,
        limits={"minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT},
    ),
)
IF_MATCH: Final = Parameter(
    "If-Match",
    "The ETag of an earlier answer, instead of the expected version in the body.",
    place="header",
    limits={"pattern": r'^(?:\*|(?:W/)?"?[0-9]{1,18}(?:\.[0-9]{1,18}){0,2}"?)$'},
)


@dataclass(frozen=True, slots=True)
class Described:
    """The description of one handler; see the module."""

    summary: str
    body: Any  # a model, or another type that pydantic knows; None for no body
    answer: Any  # the same
    status: int
    also: tuple[int, ...]  # other statuses of success with the same answer
    parameters: tuple[Parameter, ...]
    errors: tuple[str, ...]
    needs: Action | None
    or_needs: Action | None  # what some bodies need instead, as the service finds
    answer_types: tuple[str, ...]  # media types, the first one by default
    answer_headers: tuple[str, ...]  # of success, beside those of every answer
    event: Any  # the data of one event of a stream, a model
    yaml: Any  # what an answer in YAML holds, a model
    file_types: tuple[str, ...]  # those of answer_types that are sent as a file of text
    operation_id: str = ""  # by default made of the summary


def described(
    summary: str,
    *,
    body: object = None,
    answer: object = None,
    status: int = 200,
    also: tuple[int, ...] = (),
    query: tuple[Parameter, ...] = (),
    headers: tuple[Parameter, ...] = (),
    errors: tuple[str, ...] = (),
    needs: Action | None = None,
    or_needs: Action | None = None,
    answer_types: tuple[str, ...] = ("application/json",),
    answer_headers: tuple[str, ...] = (),
    event: object = None,
    yaml: object = None,
    file_types: tuple[str, ...] = (),
    operation_id: str = "",
) -> Callable[[HandlerT], HandlerT]:
    """Describes what the decorated handler takes and answers.

    ``operation_id`` is that of clients that were built before the summary changed.
    """
    about = Described(
        summary=summary,
        operation_id=operation_id,
        body=body,
        answer=answer,
        status=204 if answer is None and status == 200 else status,
        also=also,
        parameters=(*query, *headers),
        errors=errors,
        needs=needs,
        or_needs=or_needs,
        answer_types=answer_types,
        answer_headers=answer_headers,
        event=event,
        yaml=yaml,
        file_types=file_types,
    )

    def attach(handler: HandlerT) -> HandlerT:
        setattr(handler, _ATTRIBUTE, about)
        return handler

    return attach


@dataclass(frozen=True, slots=True)
class SentEvent:
    """A request that ctxadmin itself sends to the address of a webhook."""

    name: str
    summary: str
    body: Any  # a model


SENT_EVENTS: Final[dict[str, SentEvent]] = {}


def sends(event: SentEvent) -> None:
    """Adds an event to the ``webhooks`` of the OpenAPI document."""
    SENT_EVENTS[event.name] = event


def description_of(handler: object) -> Described | None:
    """Returns the description of a handler, or None."""
    found = getattr(handler, _ATTRIBUTE, None)
    return found if isinstance(found, Described) else None


# Described so, and not checked by the model: answers are compared by the contract tests, of bodies
# the rules behind refuse the rest with a code of their own.
FromZero = Annotated[int, WithJsonSchema({"type": "integer", "minimum": 0})]
FromOne = Annotated[int, WithJsonSchema({"type": "integer", "minimum": 1})]
Time = Annotated[
    str, WithJsonSchema({"type": "string", "examples": ["2026-07-01T09:30:00.000000Z"]})
]


class Answer(BaseModel):
    """The base of the models of answers.

    An endpoint can fill one and send it with ``response``, or only name it and send JSON of the
    same form; the contract tests compare what was sent with the model.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    def response(self, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
        """Returns the model as the answer of an endpoint."""
        return Response(self.model_dump(), status=status, headers=headers)


class ListOf(Answer, Generic[ItemT]):
    """A page of a list; ``next`` is the cursor of the next page, null on the last one."""

    # Pydantic does not hand the docstring on to ListOf[Model].
    model_config = ConfigDict(json_schema_extra={"description": "A page of a list."})

    results: list[ItemT] = Field(description="The items of this page.")
    next: str | None = Field(
        description="Cursor of the next page; null on the last one.",
        examples=["WzEwMF0"],
    )


class JsonOf(DescribedBy):
    """Marks a field that is only described as ``model``: nothing is validated or copied.

    ``document: Annotated[object, JsonOf(Document)]`` can hold finished JSON (``orjson.Fragment``),
    which goes from the database to the answer unparsed.
    """

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.any_schema()
