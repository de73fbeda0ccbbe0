"""Messages for a reader: their pieces, and tool calls joined with the results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final

import orjson

from conversations.domain.bodies import StoredMessage, text_of_body
from conversations.domain.tool_failures import is_failure
from conversations.models import Comment, Pin
from conversations.pages.reading.blocks import (
    MOST_MARKDOWN,
    Block,
    blocks_of,
    excerpt,
    lines_of,
    within_budget,
)
from conversations.pages.reading.tool_calls import ToolCallLine, call_of, shape_of
from conversations.services.comments import may_remove
from conversations.services.recalls import Recalled
from ctxadmin.identity.actor import Actor
from ctxadmin.ui.components import Text

# Of a message in a list. A section has 50 of them: 40 of 1 MB each, half of that signs that
# are named, took a browser more than 20 s.
_MOST_TEXT: Final = 8_000
_MOST_PIECES: Final = 100
_MOST_PIECES_ALONE: Final = 2_000
_SHORTEST: Final = timedelta(milliseconds=50)  # less is between two appended at once
_LONG_LINES: Final = 14  # more are folded to 12
_NAMELESS: Final[Mapping[str, str]] = MappingProxyType({})
_LONG_INSTRUCTIONS: Final = 5  # more are folded to 3: they are the same in every conversation


@dataclass(frozen=True, slots=True)
class CallCard:
    """A tool call, with the log index of the result that answers it, if it is known.

    ``answer`` is the card of that result if it stands right behind the message with the call;
    ``shape`` says in a few words what came back, ``took`` how long after the call it was logged.
    """

    call: ToolCallLine
    result: int | None
    answer: "MessageCard | None" = None
    shape: Text = ""
    took: timedelta | None = None


@dataclass(frozen=True, slots=True)
class HiddenBy:
    """What hid a message: an operation of the branch, or a rollback.

    ``url`` is the comparison that shows it.
    """

    words: Text
    reason: str
    url: str


@dataclass(frozen=True, slots=True)
class Gap:
    """Hidden messages ``start`` up to ``stop`` of the log; ``url`` returns them for their place.

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
    """A comment; ``mine`` if the reader can remove it, ``about`` the key that it is on.

    ``at`` is the version that it was made at if that is not the shown one; ``outdated`` says that
    the value was changed since.
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
    """The person or token that pinned a message, when and why."""

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
    """A message as a reader wants it; ``position`` is its place in the view.

    ``gap`` is what is hidden right behind it, ``gap_behind_calls`` behind the results that are
    joined with its calls, ``hidden_by`` what hid the message itself. Of one
    that is not ``whole`` only the beginning is here; it has ``size`` bytes. ``failed`` marks a
    tool result that reports an error. ``visit`` numbers the rounds of a loop in which its node
    wrote, from 1; 0 if it is not known. ``node`` is what that node is called, "" without one.
    """

    index: int
    message_id: str
    role: str
    name: str
    visible: bool
    tokens: int
    estimated: bool
    node: str
    author: str
    created_at: datetime
    blocks: Sequence[Block]
    calls: Sequence[CallCard]
    answers: int | None
    position: int | None
    gap: Gap | None = None
    gap_behind_calls: Gap | None = None
    hidden_by: HiddenBy | None = None
    comments: Sequence[CommentView] = ()
    whole: bool = True
    size: int = 0
    pin: PinView | None = None
    summary: SummaryView | None = None
    recalled: Recalled | None = None
    failed: bool = False
    alone: bool = False
    visit: int = 0

    @property
    def only_calls(self) -> bool:
        """True for a message that says nothing beside its tool calls."""
        return bool(self.calls) and not any(block.text.strip() for block in self.blocks)

    @property
    def is_line(self) -> bool:
        """True for calls that stand in the line of who made them, with nothing below."""
        return self.only_calls and not self.hidden_by and not self.comments

    @property
    def lines(self) -> int:
        """The lines of its text."""
        return sum(block.text.count("\n") + 1 for block in self.blocks)

    @property
    def length(self) -> int:
        """The characters of its text."""
        return sum(len(block.text) for block in self.blocks)

    @property
    def folded(self) -> bool:
        """True if its text is so long that a list shows the first lines of it."""
        instructs = self.role in ("system", "developer")
        most = _LONG_INSTRUCTIONS if instructs else _LONG_LINES
        return not self.alone and lines_of(self.blocks) > most

    @property
    def is_partial(self) -> bool:
        """Returns True if a list may show only a part of it: a long text, or a tree of JSON."""
        pieces = [*self.blocks, *(call.call.arguments for call in self.calls)]
        has_tree = any(piece.kind in ("json", "part") for piece in pieces)
        return not self.whole or (has_tree and not self.alone)

    @property
    def is_empty(self) -> bool:
        """Returns True if there is nothing to read: an empty text, or no content at all."""
        return not self.calls and all(
            not block.text.strip() and block.kind in ("text", "markdown") for block in self.blocks
        )

    @property
    def is_orphan(self) -> bool:
        """Returns True for a tool result whose call is not in the log."""
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
    recalled: Recalled | None = None,
    alone: bool = False,
    visit: int = 0,
    nodes: Mapping[str, str] = _NAMELESS,
) -> MessageCard:
    """Returns one message; ``results`` are the log indices of results by call index and call id.

    ``nodes`` are the names of nodes by id. A long message is shortened, unless it is ``alone`` on
    its page.
    """
    body = orjson.loads(message.body)
    blocks = blocks_of(body.get("content"), role=message.role)
    calls = [
        CallCard(call_of(call), results.get((message.index, str(call.get("id")))))
        for call in body.get("tool_calls") or ()
    ]
    whole = alone or len(message.body) <= _MOST_TEXT
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
        node=nodes.get(message.node_id, message.node_id),
        author=message.author,
        created_at=message.created_at,
        blocks=blocks[:_MOST_PIECES_ALONE],
        calls=calls[:_MOST_PIECES_ALONE],
        answers=message.call_index,
        position=position,
        gap=gap,
        hidden_by=hidden_by,
        comments=comments,
        whole=whole,
        size=len(message.body),
        pin=None if pin is None else PinView(pin.author, pin.reason, pin.created_at),
        summary=summary,
        recalled=recalled,
        failed=is_failure(body),
        alone=alone,
        visit=visit,
    )


def _shortened(
    blocks: Sequence[Block], calls: Sequence[CallCard]
) -> tuple[list[Block], list[CallCard]]:
    """Returns as much of a long message as a list shows; JSON is drawn in part anyway."""
    left = _MOST_TEXT
    pieces: list[Block] = []
    for block in blocks[:_MOST_PIECES]:
        pieces.append(excerpt(block, left))
        left = max(left - len(block.text), 0)
        if not left:
            break
    heads: list[CallCard] = []
    for call in calls[:_MOST_PIECES]:
        arguments = call.call.arguments
        heads.append(replace(call, call=replace(call.call, arguments=excerpt(arguments, left))))
        left = max(left - len(arguments.text), 0)
    return pieces, heads


def comment_view(actor: Actor, comment: Comment) -> CommentView:
    """Returns a comment for one reader."""
    return CommentView(
        comment.number,
        comment.text,
        comment.author,
        comment.created_at,
        may_remove(actor, comment),
        comment.key_name,
    )


def join_results(cards: Sequence[MessageCard]) -> list[MessageCard]:
    """The cards of a page, each result that stands right behind its call put into that call.

    Together they have no more Markdown than a page may.
    """
    cards = _within_budget(cards)
    found: list[MessageCard] = []
    place = 0
    while place < len(cards):
        card = cards[place]
        place += 1
        answers: dict[int, MessageCard] = {}
        while place < len(cards) and _answers(cards[place], card):
            answers[cards[place].index] = cards[place]
            place += 1
        last = next(reversed(answers.values()), None)
        calls = [_answered(call, card, answers) for call in card.calls]
        found.append(_with_calls(card, calls, last) if calls else card)
        found += answers.values()  # of a call that was answered twice
    return found


def _with_calls(
    card: MessageCard, calls: Sequence[CallCard], last: MessageCard | None
) -> MessageCard:
    """The card with its calls; what is hidden behind the last result stands behind the card.

    Inside of a call that is folded nobody would see it.
    """
    if last is None or last.gap is None:
        return replace(card, calls=calls)
    bare = [
        replace(call, answer=replace(call.answer, gap=None))
        if call.answer is not None and call.answer.index == last.index
        else call
        for call in calls
    ]
    if bare == calls:  # it stands by itself, as the second result of its call
        return replace(card, calls=calls)
    return replace(card, calls=bare, gap_behind_calls=last.gap)


def _within_budget(cards: Sequence[MessageCard]) -> list[MessageCard]:
    found: list[MessageCard] = []
    left = MOST_MARKDOWN
    for card in cards:
        blocks, left = within_budget(card.blocks, left)
        found.append(replace(card, blocks=blocks))
    return found


def _answers(result: MessageCard, card: MessageCard) -> bool:
    return bool(card.calls) and result.role == "tool" and result.answers == card.index


def _answered(call: CallCard, card: MessageCard, answers: dict[int, MessageCard]) -> CallCard:
    """Returns the call with its result, which is removed from ``answers``."""
    answer = answers.pop(call.result, None) if call.result is not None else None
    if answer is None:
        return call
    took = answer.created_at - card.created_at
    return replace(
        call,
        answer=answer,
        shape=shape_of(answer.blocks),
        took=took if took >= _SHORTEST else None,
    )


def plain_body(data: bytes) -> str:
    """Returns the JSON of a message as text for a comparison: its text, then its calls."""
    calls = [call_of(call) for call in orjson.loads(data).get("tool_calls") or ()]
    named = [f"{call.name}({call.arguments.text})" for call in calls]
    return "\n".join([text_of_body(data), *named]).strip()
