"""Messages as a reader wants them: their pieces, their tool calls joined with the results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import orjson
from pydantic import JsonValue

from conversations.comments import may_remove
from conversations.domain.bodies import StoredMessage, text_of_body
from conversations.models import Comment, Pin
from conversations.pages.blocks import (
    MOST_PIECES,
    MOST_TEXT,
    Block,
    blocks_of,
    like_json,
    text_block,
)
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_bytes import NotJson, loads_strict
from ctxadmin.ui.components import Text

_HEAD_TEXT: Final = 350
_HEAD_LINES: Final = 12
_MOST_PIECES_ALONE: Final = 2_000
_LONGEST_NAME: Final = 200


@dataclass(frozen=True, slots=True)
class CallCard:
    """A tool call, with the log index of the result that answers it, if it is known.

    ``name`` is "" for a call that says none.

    ``answer`` is the card of that result if it stands right behind the message with the call;
    ``broken`` arguments are a text that begins like JSON and is none.
    """

    name: str
    call_id: str
    arguments: Block
    result: int | None
    broken: bool = False
    answer: "MessageCard | None" = None


@dataclass(frozen=True, slots=True)
class HiddenBy:
    """What took a message out of the view: an operation of the branch, or a rollback.

    ``url`` is the comparison that shows it.
    """

    words: Text
    reason: str
    url: str


@dataclass(frozen=True, slots=True)
class Gap:
    """Hidden messages ``start`` up to ``stop`` of the log; ``url`` gives them in their place.

    ``plain_url`` is the page that shows them without scripts.
    """

    start: int
    stop: int
    url: str
    plain_url: str

    @property
    def count(self) -> int:
        return self.stop - self.start

    @property
    def last(self) -> int:
        return self.stop - 1


@dataclass(frozen=True, slots=True)
class CommentView:
    """A comment; ``mine`` if the reader may take it back, ``about`` the key that it is on.

    ``at`` is the version that it was made at where that is not the one that is shown; ``outdated``
    says that the value was changed since.
    """

    number: int
    text: str
    author: str
    created_at: datetime
    mine: bool
    about: str = ""
    at: int | None = None
    outdated: bool = False


@dataclass(frozen=True, slots=True)
class PinView:
    """Who pinned a message, when and why."""

    author: str
    reason: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class SummaryView:
    """How many messages a summary covers; ``url`` is the comparison that shows them."""

    count: int
    url: str


@dataclass(frozen=True, slots=True)
class MessageCard:
    """A message as a reader wants it; ``raw`` is its JSON, ``position`` its place in the view.

    ``gap`` is what is hidden right behind it, ``hidden_by`` what hid the message itself. Of one
    that is not ``whole`` only the beginning is here, and no ``raw``; it has ``size`` bytes.
    """

    index: int
    message_id: str
    role: str
    name: str
    visible: bool
    tokens: int
    estimated: bool
    node_id: str
    author: str
    created_at: datetime
    blocks: Sequence[Block]
    calls: Sequence[CallCard]
    answers: int | None
    raw: str
    position: int | None
    gap: Gap | None = None
    hidden_by: HiddenBy | None = None
    comments: Sequence[CommentView] = ()
    whole: bool = True
    size: int = 0
    pin: PinView | None = None
    summary: SummaryView | None = None

    @property
    def is_empty(self) -> bool:
        """True if there is nothing to read: an empty text, or no content at all."""
        return not self.calls and all(
            not block.text.strip() and block.kind == "text" for block in self.blocks
        )

    @property
    def is_orphan(self) -> bool:
        """True for a tool result whose call is not in the log."""
        return self.role == "tool" and self.answers is None


def message_card(
    message: StoredMessage,
    results: Mapping[tuple[int, str], int],
    position: int | None,
    *,
    gap: Gap | None = None,
    hidden_by: HiddenBy | None = None,
    comments: Sequence[CommentView] = (),
    pin: Pin | None = None,
    summary: SummaryView | None = None,
    alone: bool = False,
) -> MessageCard:
    """One message; ``results`` are the log indices of results by call index and call id.

    A long one comes shortened, unless it stands ``alone`` on its page.
    """
    body = orjson.loads(message.body)
    blocks = blocks_of(body.get("content"), role=message.role)
    calls = [
        _call_card(call, results.get((message.index, str(call.get("id")))))
        for call in body.get("tool_calls") or ()
    ]
    whole = alone or len(message.body) <= MOST_TEXT
    if not whole:
        blocks, calls = _shortened(blocks, calls)
    return MessageCard(
        index=message.index,
        message_id=message.message_id,
        role=message.role,
        name=str(body.get("name") or ""),
        visible=message.visible,
        tokens=message.tokens,
        estimated=message.estimated,
        node_id=message.node_id,
        author=message.author,
        created_at=message.created_at,
        blocks=blocks[:_MOST_PIECES_ALONE],
        calls=calls[:_MOST_PIECES_ALONE],
        answers=message.call_index,
        raw=orjson.dumps(body, option=orjson.OPT_INDENT_2).decode() if whole else "",
        position=position,
        gap=gap,
        hidden_by=hidden_by,
        comments=comments,
        whole=whole,
        size=len(message.body),
        pin=None if pin is None else PinView(pin.author, pin.reason, pin.created_at),
        summary=summary,
    )


def _shortened(
    blocks: Sequence[Block], calls: Sequence[CallCard]
) -> tuple[list[Block], list[CallCard]]:
    """As much of a long message as a list shows; JSON is drawn in part anyway."""
    left = MOST_TEXT
    pieces: list[Block] = []
    for block in blocks[:MOST_PIECES]:
        pieces.append(_beginning(block, left))
        left = max(left - len(block.text), 0)
        if not left:
            break
    heads: list[CallCard] = []
    for call in calls[:MOST_PIECES]:
        heads.append(replace(call, arguments=_beginning(call.arguments, left)))
        left = max(left - len(call.arguments.text), 0)
    return pieces, heads


def _beginning(block: Block, most: int) -> Block:
    if block.kind == "json" or len(block.text) <= most:
        return block
    text = block.text[:most]
    if block.kind == "text":  # so short that it does not fold: there is no more of it to unfold
        text = "\n".join(text[:_HEAD_TEXT].split("\n")[:_HEAD_LINES])
    return replace(block, text=f"{text}…")


def comment_view(actor: Actor, comment: Comment) -> CommentView:
    """A comment as one reader sees it."""
    return CommentView(
        comment.number,
        comment.text,
        comment.author,
        comment.created_at,
        may_remove(actor, comment),
        comment.key_name,
    )


def joined(cards: Sequence[MessageCard]) -> list[MessageCard]:
    """The cards with each result that stands right behind its call put into that call."""
    found: list[MessageCard] = []
    place = 0
    while place < len(cards):
        card = cards[place]
        place += 1
        answers: dict[int, MessageCard] = {}
        while place < len(cards) and _answers(cards[place], card):
            answers[cards[place].index] = cards[place]
            place += 1
        calls = [_answered(call, answers) for call in card.calls]
        found.append(replace(card, calls=calls) if calls else card)
        found += answers.values()  # of a call that was answered twice
    return found


def _answers(result: MessageCard, card: MessageCard) -> bool:
    return bool(card.calls) and result.role == "tool" and result.answers == card.index


def _answered(call: CallCard, answers: dict[int, MessageCard]) -> CallCard:
    """The call with its result, which is taken out of ``answers``."""
    answer = answers.pop(call.result, None) if call.result is not None else None
    return replace(call, answer=answer)


def _call_card(call: dict[str, JsonValue], result: int | None) -> CallCard:
    function = call.get("function")
    inner = function if isinstance(function, dict) else call
    arguments = inner.get("arguments", inner.get("args", inner.get("input")))
    broken = False
    if isinstance(arguments, str):
        block = text_block(arguments, parse=True)
        broken = block.kind == "text" and _is_broken(arguments)
    else:
        block = Block("json", value=arguments)
    kind = str(call.get("type") or "")
    name = str(inner.get("name") or ("" if kind == "function" else kind))
    return CallCard(_named(name), _named(str(call["id"])), block, result, broken)


def _is_broken(text: str) -> bool:
    if not like_json(text):
        return False
    try:
        loads_strict(text.encode())
    except NotJson:
        return True
    except ValidationFailed:
        return False  # well-formed, and more than a tree can say
    return False


def _named(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"


def plain_body(data: bytes) -> str:
    """The JSON of a message as text for a comparison: its text, then its calls."""
    calls = [_call_card(call, None) for call in orjson.loads(data).get("tool_calls") or ()]
    named = [f"{call.name}({call.arguments.text})" for call in calls]
    return "\n".join([text_of_body(data), *named]).strip()
