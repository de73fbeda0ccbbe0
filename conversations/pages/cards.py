"""Messages as a reader wants them: their pieces, their tool calls joined with the results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal

import orjson
from django.utils.translation import gettext as _
from pydantic import JsonValue

from conversations.comments import may_remove
from conversations.domain.bodies import StoredMessage, text_of_body
from conversations.models import Comment, Pin
from conversations.recalls import Recalled
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_bytes import NotJson, loads_strict
from ctxadmin.ui.components import Text

BlockKind = Literal["text", "code", "json", "image", "part"]
_FENCE: Final = "```"
# Of a message in a list. A section has 50 of them: 40 of 1 MB each, half of that signs that
# are named, took a browser more than 20 s.
_MOST_TEXT: Final = 8_000
_MOST_PIECES: Final = 100
_HEAD_TEXT: Final = 350
_HEAD_LINES: Final = 12
_MOST_PIECES_ALONE: Final = 2_000
_LONGEST_NAME: Final = 200


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a message: text, code, JSON that unfolds, or a part that is only named.

    ``name`` is the language of code, and what is known of a part: its file name, type, size.
    """

    kind: BlockKind
    text: str = ""
    value: JsonValue = None
    name: str = ""


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
    recalled: Recalled | None = None

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
    recalled: Recalled | None = None,
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
        recalled=recalled,
    )


def _shortened(
    blocks: Sequence[Block], calls: Sequence[CallCard]
) -> tuple[list[Block], list[CallCard]]:
    """As much of a long message as a list shows; JSON is drawn in part anyway."""
    left = _MOST_TEXT
    pieces: list[Block] = []
    for block in blocks[:_MOST_PIECES]:
        pieces.append(_beginning(block, left))
        left = max(left - len(block.text), 0)
        if not left:
            break
    heads: list[CallCard] = []
    for call in calls[:_MOST_PIECES]:
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


def blocks_of(content: JsonValue, *, role: str) -> list[Block]:
    """The content of a message in pieces.

    JSON that a tool or a model wrote unfolds, fenced code is code.
    """
    parse = role in ("tool", "assistant")
    if isinstance(content, str):
        return _text_blocks(content, parse=parse) if content else []
    blocks: list[Block] = []
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict):
            continue
        text = part.get("text")
        if isinstance(text, str):
            blocks += _text_blocks(text, parse=parse)
        elif "image" in str(part.get("type")):
            blocks.append(Block("image", text=_reference(part)))
        else:
            name = _part_name(part)
            blocks.append(Block("part", text=str(part.get("type")), value=part, name=name))
    return blocks


def _text_blocks(text: str, *, parse: bool) -> list[Block]:
    if _FENCE not in text:
        return [_text_block(text, parse=parse)]
    return list(_fenced(text)) or [Block("text", text=text)]


def _fenced(text: str) -> Iterator[Block]:
    """Text and code in turn; a fence that is never closed is text."""
    lines: list[str] = []
    code: list[str] | None = None
    opening = ""
    for line in text.split("\n"):
        bare = line.strip()
        if code is None and bare.startswith(_FENCE) and _FENCE not in bare[3:]:
            code, opening = [], line
        elif code is not None and bare == _FENCE:
            if before := "\n".join(lines).strip("\n"):
                yield Block("text", text=before)
            yield Block("code", text="\n".join(code), name=opening.strip()[3:].strip()[:30])
            lines, code = [], None
        elif code is not None:
            code.append(line)
        else:
            lines.append(line)
    rest = lines if code is None else [*lines, opening, *code]
    if after := "\n".join(rest).strip("\n"):
        yield Block("text", text=after)


def _part_name(part: dict[str, JsonValue]) -> str:
    """The file name of a part, or its id, with the size of what is embedded in it."""
    inner = part.get(str(part.get("type")))
    found = part | inner if isinstance(inner, dict) else part
    names = [found.get(key) for key in ("filename", "name", "file_id", "url", "format")]
    name = next((each for each in names if isinstance(each, str) and each), "")
    data = next((found[key] for key in ("file_data", "data") if found.get(key)), None)
    if not isinstance(data, str):
        return name
    size = _("%(size)s characters") % {"size": len(data)}
    return f"{name}, {size}" if name else size


def _text_block(text: str, *, parse: bool) -> Block:
    """The text as it came, unless it is JSON of which the tree says all that it says.

    A doubled key or a number beyond 64 bit would stand there as something else.
    """
    if parse and _like_json(text):
        try:
            return Block("json", text=text, value=loads_strict(text.encode()))
        except ValidationFailed:
            pass
    return Block("text", text=text)


def _like_json(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[")


def _reference(part: dict[str, JsonValue]) -> str:
    """Where an image is, without loading it; embedded ones are only measured."""
    found = part.get("image_url")
    url = found.get("url") if isinstance(found, dict) else found
    text = str(url or part.get("file_id") or "")
    if text.startswith("data:"):
        kind = text[5:].partition(";")[0]
        return _("%(kind)s, %(size)s characters") % {"kind": kind, "size": len(text)}
    return text


def _call_card(call: dict[str, JsonValue], result: int | None) -> CallCard:
    function = call.get("function")
    inner = function if isinstance(function, dict) else call
    arguments = inner.get("arguments", inner.get("args", inner.get("input")))
    broken = False
    if isinstance(arguments, str):
        block = _text_block(arguments, parse=True)
        broken = block.kind == "text" and _is_broken(arguments)
    else:
        block = Block("json", value=arguments)
    kind = str(call.get("type") or "")
    name = str(inner.get("name") or ("" if kind == "function" else kind))
    return CallCard(_named(name), _named(str(call["id"])), block, result, broken)


def _is_broken(text: str) -> bool:
    if not _like_json(text):
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
