"""The workflow document: nodes and edges as they are written and stored."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Final, Literal

from pydantic import AfterValidator, Field, JsonValue, WithJsonSchema

from ctxadmin.lib.contract import Contract, parse
from ctxadmin.lib.ids import SCHEMA, is_public_id
from ctxadmin.lib.sentence import say

MAX_NODES: Final = 10_000
MAX_EDGES: Final = 50_000
MAX_REDUCERS: Final = 1_000
MAX_NAME: Final = 200
MAX_TEXT: Final = 10_000
MAX_CONDITION: Final = 2_000
MAX_FILTERS: Final = 32
MAX_COORDINATE: Final = 10**12
MAX_TIMEOUT_SECONDS: Final = 365 * 24 * 3600

CONTEXT_PROCESSOR: Final = "context_processor"
START: Final = "start"
END: Final = "end"
EDGE_TYPES: Final = ("sequence", "conditional", "error")


def _element_id(text: str) -> str:
    if not is_public_id(text):
        raise ValueError(say("an id has 1 to 64 letters, digits, - and _"))
    return text


def _within_bounds(number: int | float) -> int | float:
    if not abs(number) <= MAX_COORDINATE:
        raise ValueError(
            say(
                "a number between -{max_coordinate} and {max_coordinate} is expected",
                max_coordinate=MAX_COORDINATE,
            )
        )
    return number


_NUMBER: Final = {"type": "number", "minimum": -MAX_COORDINATE, "maximum": MAX_COORDINATE}
ElementId = Annotated[str, AfterValidator(_element_id), WithJsonSchema(SCHEMA)]
TypeName = Annotated[str, Field(min_length=1, max_length=64)]
Coordinate = Annotated[int | float, AfterValidator(_within_bounds), WithJsonSchema(_NUMBER)]
# A filter stays as it was written until it is used: a draft with a wrong filter can be kept
# and shown with its problems. workflows.domain.document.elements reads it.
FilterSource = dict[str, JsonValue]


def _one_or_a_list(value: JsonValue) -> JsonValue:
    filters = value if isinstance(value, list) else [value]
    if len(filters) > MAX_FILTERS or not all(isinstance(each, dict) for each in filters):
        raise ValueError(
            say("one filter or a list of at most {max_filters} filters", max_filters=MAX_FILTERS)
        )
    return value


Filters = Annotated[JsonValue, AfterValidator(_one_or_a_list)]


class Position(Contract):
    """The position of a node on the canvas, in units of the canvas."""

    x: Coordinate = Field(
        description="Distance from the left, in units of the canvas.", examples=[0]
    )
    y: Coordinate = Field(
        description="Distance from the top, in units of the canvas.", examples=[0]
    )


class Timeout(Contract):
    """What happens to a pause that nobody ends within ``seconds`` (semantics 3.8).

    ``approve`` lets the execution continue, ``reject`` fails it, ``cancel`` cancels it.
    """

    seconds: Annotated[int, Field(ge=1, le=MAX_TIMEOUT_SECONDS)]
    outcome: Literal["approve", "reject", "cancel"]


class NodeSettings(Contract):
    """The keys of a node's free ``config`` that the system itself obeys."""

    template: Annotated[str, Field(max_length=1_000_000)] = ""
    pause: Literal["before", "after"] | None = None
    pause_reason: Annotated[str, Field(max_length=MAX_TEXT)] | None = None
    timeout: Timeout | None = None


class Node(Contract):
    """One step of a workflow (rest.md, "Workflows and filters").

    ``config`` and ``properties`` are data: their keys are never renamed. Of ``config`` the system
    reads what ``settings_of`` names and, in a context processor, the operation.
    """

    id: ElementId = Field(description="Id, unique in the document.", examples=["draft"])
    type: TypeName = Field(
        description="Type of the node; a processor can belong to it.", examples=["llm"]
    )
    name: Annotated[str, Field(max_length=MAX_NAME)] | None = Field(
        None, description="Name of the node.", examples=["Draft the answer"]
    )
    description: Annotated[str, Field(max_length=MAX_TEXT)] | None = Field(
        None,
        description="What it is for, in a few words.",
        examples=["Writes a draft of the answer."],
    )
    position: Position | None = Field(None, description="Position on the canvas.")
    context_type: TypeName | None = Field(
        None,
        description="Context type; by default that of the node's type.",
        examples=["llm_context"],
    )
    context_filter: Filters | None = Field(
        None,
        description="Input filter, or a list of them.",
        examples=[
            {"rules": [{"type": "exclude", "pattern": "internal.*"}], "default_behavior": "pass"}
        ],
    )
    outgoing_filter: Filters | None = Field(
        None,
        description="Output filter, or a list of them.",
        examples=[
            {"rules": [{"type": "exclude", "pattern": "internal.*"}], "default_behavior": "pass"}
        ],
    )
    config: dict[str, JsonValue] = Field(
        {},
        description="Settings of the node; further keys belong to the engine.",
        examples=[{"model": "small"}],
    )
    properties: dict[str, JsonValue] = Field(
        {}, description="Any JSON of the caller, by name.", examples=[{"team": "parcels"}]
    )


def title_of(node: Node) -> str:
    """Returns what people call a node: its name, else its id."""
    return node.name if node.name and node.name.strip() else node.id


class Edge(Contract):
    """A connection of two nodes; ``condition`` decides whether it is taken."""

    spellings: ClassVar[Mapping[str, str]] = {
        "fromNodeId": "from",
        "from_node_id": "from",
        "toNodeId": "to",
        "to_node_id": "to",
    }

    id: ElementId = Field(description="Id, unique in the document.", examples=["draft-send"])
    type: TypeName = Field(description="Type of the edge.", examples=["sequence"])
    from_node: Annotated[ElementId, Field(alias="from")] = Field(
        description="Id of the node that it leaves.", examples=["draft"]
    )
    to_node: Annotated[ElementId, Field(alias="to")] = Field(
        description="Id of the node to which it leads.", examples=["send"]
    )
    context_filter: FilterSource | None = Field(
        None,
        description="Edge filter.",
        examples=[{"type": "include", "include_patterns": ["order.*"]}],
    )
    condition: Annotated[str, Field(max_length=MAX_CONDITION)] | None = Field(
        None,
        description="When the edge is followed; always without one.",
        examples=["context.score > 3"],
    )
    weight: Coordinate | None = Field(None, description="Higher weight runs first.", examples=[1])
    properties: dict[str, JsonValue] = Field(
        {}, description="Any JSON of the caller, by name.", examples=[{"team": "parcels"}]
    )


class Document(Contract):
    """A workflow document, as drafted, published, exported and compared."""

    name: Annotated[str, Field(max_length=MAX_NAME)] = Field(
        description="Name of the workflow.", examples=["Support"]
    )
    nodes: Annotated[tuple[Node, ...], Field(max_length=MAX_NODES, strict=False)] = Field(
        description="The nodes."
    )
    edges: Annotated[tuple[Edge, ...], Field(max_length=MAX_EDGES, strict=False)] = Field(
        description="The edges."
    )
    reducers: Annotated[dict[str, str], Field(max_length=MAX_REDUCERS)] = Field(
        {}, description="Reducer by state key or pattern.", examples=[{"notes.*": "append"}]
    )


def read(data: object, pointer: str = "") -> Document:
    """Reads the document in parsed JSON ``data`` at ``pointer`` of the input.

    Raises ValidationFailed for a wrong shape only; problems of meaning - dangling edges, bad
    conditions - are found by ``problems.check``, so that a draft with problems can be saved.
    """
    return parse(Document, data, pointer)


def dump(document: Document) -> dict[str, JsonValue]:
    """Returns the document as JSON in the contract's spelling.

    Reading it gives the same document.

    Fields that were not given are omitted; null means missing and does not come back.
    """
    return document.model_dump(mode="json", by_alias=True, exclude_unset=True)


def filters_in(source: Filters | None) -> list[FilterSource]:
    """Returns the filters of a ``context_filter`` or ``outgoing_filter``, which is one or a
    list.
    """
    listed = source if isinstance(source, list) else [source]
    return [each for each in listed if isinstance(each, dict)]


def settings_of(node: Node, pointer: str = "") -> NodeSettings:
    """Returns the settings in ``node.config``: template, pause, reason and timeout.

    Everything else in it belongs to the engine. So does ``timeout`` without ``pause``: tool nodes
    often have one of their own. Raises ValidationFailed with pointers below ``pointer``.
    """
    known = {key: value for key, value in node.config.items() if key in SETTING_KEYS}
    if known.get("pause") is None:
        known.pop("timeout", None)
    return parse(NodeSettings, known, pointer)


SETTING_KEYS: Final = frozenset({"template", "pause", "pause_reason", "pauseReason", "timeout"})
