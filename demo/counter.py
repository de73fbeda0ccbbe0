"""A workflow of the demo whose first policy does not pay, its repair, and what was said at it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

SLUG: Final = "counter-chat"
TALKS: Final = 8
_WINDOW: Final[JsonValue] = {
    "operation": "truncate",
    "truncate": {"keep_last": 12, "keep_system": True},
    "pairing": "keep",
}
_BUDGET: Final[JsonValue] = {
    "operation": "budget",
    "budget": {"max_tokens": 2_000, "target_tokens": 1_000},
    "pairing": "keep",
}


@dataclass(frozen=True, slots=True)
class Step:
    """A draft of the workflow; ``note`` publishes it, with None it stays the draft."""

    document: dict[str, JsonValue]
    note: str | None


def _document(operation: JsonValue, description: str) -> dict[str, JsonValue]:
    return {
        "name": "Chat at the counter",
        "nodes": [
            {"id": "start", "type": "start", "name": "A customer writes"},
            {
                "id": "answer",
                "type": "llm",
                "name": "Answer",
                "description": description,
                "context_filter": {
                    "rules": [],
                    "default_behavior": "pass",
                    "messages": [operation],
                },
                "config": {"template": "Answer in two or three sentences."},
            },
            {
                "id": "listen",
                "type": "user_interaction",
                "name": "Listen",
                "config": {"pause": "before", "pause_reason": "Add what the customer says."},
            },
            {"id": "end", "type": "end", "name": "Done"},
        ],
        "edges": [
            {"id": "begin", "type": "sequence", "from": "start", "to": "answer"},
            {"id": "said", "type": "sequence", "from": "answer", "to": "listen"},
            {
                "id": "more",
                "type": "sequence",
                "from": "listen",
                "to": "answer",
                "condition": "context.done !== true",
            },
            {
                "id": "bye",
                "type": "conditional",
                "from": "listen",
                "to": "end",
                "condition": "context.done === true",
            },
        ],
        "reducers": {"done": "overwrite"},
    }


_SHORT: Final = _document(
    _WINDOW, "Sends the last 12 messages at each call: fewer tokens, and a higher cost."
)
_PAYING: Final = _document(_BUDGET, "Over 2,000 tokens it cuts to 1,000, so it seldom cuts.")
STEPS: Final = (
    Step(_SHORT, "The last 12 messages at each call"),
    Step(_PAYING, "Repair: a budget that cuts seldom and deep"),
    Step(_SHORT, None),
)

_SYSTEM: Final = (
    "You answer customers at the counter of a small bicycle shop. Look at what is in stock before "
    "you promise anything. Prices include fitting. Repairs take two days, in spring four. Bikes of "
    "other shops are welcome. Refunds above 100 need the owner. We buy children's bikes back at "
    "half of their price within two years. Lend nothing without a deposit of 50. Be brief and kind."
)
_TOPICS: Final = (
    *("the brakes of a folding bike", "a saddle for long tours", "lights for a child's bike"),
    *("a chain that jumps", "winter tyres", "a lock that froze"),
    *("a trailer for two dogs", "gears that slip uphill", "mudguards for a racing bike"),
    *("a pump that leaks", "a helmet that is too small", "a bell for a deaf rider's friend"),
)
_QUESTIONS: Final = (
    "I came by last week about {topic}, and you said it could be done. Is that still so, and what "
    "would it cost if I bring everything on Monday morning before work?",
    "Thank you. My neighbour asks the same about {topic}, only that hers is twenty years older "
    "than mine. Would the same parts fit, or do they have to be ordered from somewhere?",
    "One more thing: if it rains on the day, may I leave it inside over night and fetch it later, "
    "and would that change anything about the price or about how long it takes?",
    "I looked it up and found someone who says that {topic} should never be touched at all before "
    "the frame was measured. Do you measure it, and do I have to be there?",
)
_ANSWERS: Final = (
    "Yes, that still holds. For {topic} we need about an hour, and the parts are in stock: 38 with "
    "fitting, 12 more if the old part has to be drilled out. Monday before nine is fine.",
    "The parts changed in between, so for an older one we order them: four days, 9 more. Please "
    "send a picture of the number on the frame, then we know which of the two kinds it is.",
    "You can leave it inside, that costs nothing, and give it a tag with your name. If we find "
    "anything else while we look at {topic}, we call you before we do it.",
    "We measure the frame in any case; it takes ten minutes and you need not be there. If it is "
    "bent we tell you, and nothing is charged. Most frames of that age are straight.",
)


def talk_id(number: int) -> str:
    """The id of a conversation, from 0."""
    return f"demo-counter-{number + 1:02}"


def title(number: int) -> str:
    topic = _TOPICS[number]
    return topic[:1].upper() + topic[1:]


def messages(number: int) -> Iterator[JsonValue]:
    """What was said in a conversation: 30 to 52 questions, each answered by the node."""
    topic = _TOPICS[number]
    yield {"role": "system", "content": _SYSTEM}
    for turn in range(30 + 2 * number):
        question = _QUESTIONS[(turn + number) % len(_QUESTIONS)]
        answer = _ANSWERS[(turn + number) % len(_ANSWERS)]
        yield {"role": "user", "content": question.format(topic=topic)}
        yield {"role": "assistant", "content": answer.format(topic=topic), "node_id": "answer"}
