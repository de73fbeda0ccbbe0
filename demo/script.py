"""The scripted model and tools of the demo: what each node answers."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pydantic import JsonValue

SYSTEM: Final = (
    "You answer customers of a small bicycle shop. Look things up before you answer. "
    "Refunds above 100 need a person. Be brief and kind."
)
RESEARCH_SYSTEM: Final = (
    "You write short notes for home owners. Name the source of each figure, and say what is not "
    "known."
)
QUESTION: Final = (
    "Hello! My order A-1042 should have been here on Monday. Where is it, and can I still "
    "change the saddle to the leather one?"
)
TOPIC: Final = "How much electricity does a heat pump save in an old house?"
TOOLS: Final = (
    "Available tools: find_order(order), track_parcel(parcel), find_product(name). "
    "Every answer is JSON."
)


@dataclass(frozen=True, slots=True)
class NodeResult:
    """The result of a node: messages to append, state to update, text."""

    messages: tuple[dict[str, JsonValue], ...] = ()
    state: Mapping[str, JsonValue] = field(default_factory=dict)
    response: str = ""
    error: str | None = None
    usage: Mapping[str, JsonValue] | None = None


def _call(call_id: str, tool: str, arguments: dict[str, str]) -> dict[str, JsonValue]:
    function: JsonValue = {"name": tool, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
    }


_LOOK_UPS: Final = (
    ("find_order", {"order": "A-1042"}),
    ("track_parcel", {"parcel": "P-77310"}),
    ("find_product", {"name": "leather saddle"}),
)
_ANSWERS: Final[Mapping[str, dict[str, JsonValue]]] = {
    "find_order": {"order": "A-1042", "parcel": "P-77310", "state": "shipped", "total": 389},
    "track_parcel": {"parcel": "P-77310", "where": "Sorting centre", "due": "Thursday"},
    "find_product": {"name": "leather saddle", "price": 59, "stock": 4},
}
_DRAFT: Final = (
    "Your order A-1042 left us on Friday and waits in the sorting centre; the carrier says "
    "Thursday. The saddle can be changed: send the old one back with the same label and we "
    "post the leather one (59, four in stock) the same day."
)

_NOTE: Final = (
    "An old house with a demand of 18,000 kWh needs about 5,800 kWh of electricity "
    "a year with a winter factor of 3.1, as a field study of 41 houses suggests."
)


def support(node: str, turn: int) -> NodeResult:
    """Returns the result of ``node`` of the support workflow at its ``turn``-th visit, from 0."""
    match node:
        case "classify":
            return NodeResult(
                state={
                    "priority": "high",
                    "topic": "delivery",
                    "prompt.policy": "Say where it is first, then answer the wish.",
                    "missing": ["order", "parcel", "product"],
                    "scratch.guess": "The parcel is probably late, not lost.",
                },
                response="topic: delivery, priority: high",
            )
        case "plan":
            name, arguments = _LOOK_UPS[turn % len(_LOOK_UPS)]
            return NodeResult(messages=(_call(f"call_{turn}", name, arguments),), response=name)
        case "draft":
            return NodeResult(
                messages=({"role": "assistant", "content": _DRAFT},),
                state={"draft.internal": "Mention the voucher only if they complain again."},
                response=_DRAFT,
            )
        case "apologise":
            text = "I am sorry, I cannot look that up right now. We call you back today."
            return NodeResult(messages=({"role": "assistant", "content": text},), response=text)
    return NodeResult(response=f"{node} is done")


def run_tool(name: str, turn: int) -> NodeResult:
    """Returns the result of a tool call by ``name``; the ``turn``-th lookup, from 0."""
    found = _ANSWERS.get(name, {"error": f"there is no tool {name}"})
    missing: list[JsonValue] = [*("order", "parcel", "product")[turn + 1 :]]
    return NodeResult(
        state={f"fact.{name}": dict(found), "missing": missing, "look_ups": 1},
        response=json.dumps(found),
    )


def research(node: str, turn: int) -> NodeResult:
    """Returns the result of ``node`` of the research workflow at its ``turn``-th visit, from 0."""
    match node:
        case "outline":
            text = "1. Heat demand of the house. 2. Efficiency over a winter. 3. Price of power."
            return NodeResult(messages=({"role": "assistant", "content": text},), response=text)
        case "search":
            return NodeResult(
                state={
                    "source.field_study": "  Field study of 41 houses, winter means 2.9 to 3.4. ",
                    "scratch.search": "the second shelf had nothing",
                },
                response="one study found",
            )
        case "figures":
            return NodeResult(
                state={"figure.demand_kwh": 18000, "figure.winter_factor": 3.1},
                response="two figures",
            )
        case "write":
            return NodeResult(
                messages=({"role": "assistant", "content": _NOTE},),
                state={"verdict": "publish"},
                response=_NOTE,
            )
    return NodeResult(response=f"{node} is done")


_SMALL: Final = "gpt-5-mini"
_LARGE: Final = "claude-sonnet-4-5"
_MODELS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("classify", "plan", "apologise", "outline", "search"), _SMALL),
    **dict.fromkeys(("draft", "write"), _LARGE),
}
_INSTRUCTIONS: Final = 1_400  # tokens of the prompts and tools that every call begins with
_A_TOKEN: Final = 4  # characters


def reported_usage(
    node: str, turn: int, read: int, response: str
) -> Mapping[str, JsonValue] | None:
    """Returns the usage that a node's model would report, by characters read and its answer.

    From its second turn on, the instructions are in the provider's cache. None if the node asks no
    model.
    """
    model = _MODELS.get(node)
    if model is None:
        return None
    again = _INSTRUCTIONS if turn else 0
    return {
        "model": model,
        "input_tokens": _INSTRUCTIONS + read // _A_TOKEN,
        "cached_tokens": again,
        "cache_write_tokens": _INSTRUCTIONS - again if model == _LARGE else 0,
        "output_tokens": max(len(response) // _A_TOKEN, 1),
    }


def scripted_result(workflow: str, node: str, turn: int) -> NodeResult:
    """Returns the scripted behavior of one node of one of the demo's workflows."""
    return support(node, turn) if workflow == "support" else research(node, turn)


def system(workflow: str) -> str:
    """Returns the system message of a conversation of ``workflow``."""
    return SYSTEM if workflow == "support" else RESEARCH_SYSTEM


def chat_texts() -> Sequence[tuple[str, str]]:
    """Returns a longer chat for the demo's conversations: role and text, in order."""
    return (
        ("user", "Do you repair hub gears?"),
        ("assistant", "Yes, with three, seven and eight speeds. Which one do you have?"),
        ("user", "An old three-speed. It slips in second."),
        ("assistant", "That is mostly the cable. Bring it in; adjusting it costs nothing."),
        ("user", "And if it is not the cable?"),
        ("assistant", "Then we open the hub, clean and grease it: 45, ready in two days."),
        ("user", "Good. 我的朋友也想修车，星期六开门吗？"),
        ("assistant", "开门，星期六九点到两点。请提前打电话预约。"),
        ("user", "Thanks! Can I leave the bike over night?"),
        ("assistant", "You can. Give it a name tag, we keep it inside."),
    )


# A fortnight of one assistant, for plots of days: messages of each day, tokens that its model read
# and how many of those the cache had. In the second week the prompt kept its beginning.
DAYS: Final[Sequence[tuple[int, int, int]]] = (
    *((9, 41_000, 6_000), (12, 58_000, 9_000), (7, 30_000, 4_500), (14, 66_000, 8_000)),
    *((11, 52_000, 7_500), (3, 12_000, 1_500), (2, 9_000, 1_000), (13, 61_000, 44_000)),
    *((15, 70_000, 52_000), (12, 57_000, 43_000), (16, 74_000, 57_000), (10, 47_000, 35_000)),
    *((4, 17_000, 12_000), (8, 36_000, 27_000)),
)
