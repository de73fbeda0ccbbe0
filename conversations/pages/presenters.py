"""What the conversation pages show, made of rows and rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

import orjson
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from pydantic import JsonValue

from conversations.domain.bodies import StoredMessage, text_of_body
from conversations.models import Conversation, Move, Revision
from conversations.services import Applied
from ctxadmin.web.components import Crumb, Text

BlockKind = Literal["text", "json", "image", "part"]

OPERATION_WORDS: Final[Mapping[str, Text]] = {
    "start": gettext_lazy("Start"),
    "append": gettext_lazy("Continued after a rollback"),
    "batch": gettext_lazy("New batch"),
    "truncate": gettext_lazy("Truncate"),
    "insert": gettext_lazy("Insert"),
    "replace": gettext_lazy("Replace"),
    "clear": gettext_lazy("Clear"),
    "filter": gettext_lazy("Filter"),
}


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a message: text, JSON that unfolds, or a part that is only named."""

    kind: BlockKind
    text: str = ""
    value: JsonValue = None


@dataclass(frozen=True, slots=True)
class CallCard:
    """A tool call, with the log index of the result that answers it, if it is known."""

    name: str
    call_id: str
    arguments: Block
    result: int | None


@dataclass(frozen=True, slots=True)
class MessageCard:
    """A message as a reader wants it; ``raw`` is its JSON, ``position`` its place in the view."""

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

    @property
    def is_empty(self) -> bool:
        """True if there is nothing to read: an empty text, or no content at all."""
        return not self.calls and all(
            not block.text and block.kind == "text" for block in self.blocks
        )

    @property
    def is_orphan(self) -> bool:
        """True for a tool result whose call is not in the log."""
        return self.role == "tool" and self.answers is None


@dataclass(frozen=True, slots=True)
class BatchLine:
    """A revision in the rail: what was done, by whom, why, and what can be done now."""

    revision: int
    number: int
    operation: Text
    summary: str
    visible_count: int
    tokens: int
    author: str
    reason: str
    created_at: datetime
    current: bool
    on_branch: bool
    url: str
    action_url: str
    action: str


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change of the view does or would do, in numbers and sentences."""

    hidden: str
    shown: str
    added: str
    warnings: Sequence[str]
    visible_count: int
    tokens_before: int
    tokens_after: int
    cached_prefix_lost: int
    changes_nothing: bool


def message_card(
    message: StoredMessage, results: Mapping[tuple[int, str], int], position: int | None
) -> MessageCard:
    """One message; ``results`` are the log indices of results by call index and call id."""
    body = orjson.loads(message.body)
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
        blocks=blocks_of(body.get("content"), role=message.role),
        calls=[
            _call_card(call, results.get((message.index, str(call.get("id")))))
            for call in body.get("tool_calls") or ()
        ],
        answers=message.call_index,
        raw=orjson.dumps(body, option=orjson.OPT_INDENT_2).decode(),
        position=position,
    )


def blocks_of(content: JsonValue, *, role: str) -> list[Block]:
    """The content of a message in pieces; JSON in a tool's answer unfolds."""
    if isinstance(content, str):
        return [_text_block(content, parse=role == "tool")] if content else []
    blocks: list[Block] = []
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict):
            continue
        text = part.get("text")
        if isinstance(text, str):
            blocks.append(_text_block(text, parse=role == "tool"))
        elif "image" in str(part.get("type")):
            blocks.append(Block("image", text=_reference(part)))
        else:
            blocks.append(Block("part", text=str(part.get("type")), value=part))
    return blocks


def _text_block(text: str, *, parse: bool) -> Block:
    if parse and text.lstrip()[:1] in ("{", "["):
        try:
            return Block("json", text=text, value=orjson.loads(text))
        except orjson.JSONDecodeError:
            pass
    return Block("text", text=text)


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
    if isinstance(arguments, str):
        block = _text_block(arguments, parse=True)
    else:
        block = Block("json", value=arguments)
    return CallCard(str(inner.get("name") or call.get("type")), str(call["id"]), block, result)


def batch_lines(
    head: Conversation, rows: Sequence[Revision], *, branch: frozenset[int], may_move: bool
) -> list[BatchLine]:
    """The rail, newest first: roll back on the branch, restore beside it."""
    return [_batch_line(head, row, row.number in branch, may_move) for row in reversed(rows)]


def _batch_line(head: Conversation, row: Revision, on_branch: bool, may_move: bool) -> BatchLine:
    current = row.number == head.current_revision
    action = "" if current or not may_move else "rollback" if on_branch else "restore"
    target = row.batch if on_branch else row.number
    urls = {
        "": "",
        "rollback": reverse("conversations:rollback", args=[head.public_id, target]),
        "restore": reverse("conversations:restore", args=[head.public_id, target]),
    }
    return BatchLine(
        revision=row.number,
        number=row.batch,
        operation=OPERATION_WORDS.get(row.operation, row.operation),
        summary=config_words(row),
        visible_count=row.visible_count,
        tokens=row.tokens,
        author=row.author,
        reason=row.reason,
        created_at=row.created_at,
        current=current,
        on_branch=on_branch,
        url=reverse("conversations:detail", args=[head.public_id]) + f"?view={row.number}",
        action_url=urls[action],
        action=action,
    )


def config_words(row: Revision) -> str:
    """The options of an operation in a few words: ``keep last 6, pairing keep``."""
    if row.boundary is not None:
        return _("from message %(index)s on") % {"index": row.boundary}
    config = orjson.loads(bytes(row.config))
    block = config.get(row.operation)
    words = _options(block) if isinstance(block, dict) else []
    words += [f"{name} {config[name]}" for name in ("pairing",) if config.get(name)]
    words += [_("tools protected")] if config.get("protect_tools") else []
    return ", ".join(words)


def _options(block: dict[str, JsonValue]) -> list[str]:
    words: list[str] = []
    for name, value in block.items():
        label = name.replace("_", " ")
        if name in ("messages", "message"):
            count = len(value) if isinstance(value, list) else 1
            words.append(ngettext("%(n)s message", "%(n)s messages", count) % {"n": count})
        elif isinstance(value, dict):
            words.append(f"{label} {value.get('start')}–{value.get('end')}")
        elif isinstance(value, list):
            words.append(f"{label} {', '.join(map(str, value))}")
        elif value is not None:
            words.append(f"{label} {str(value).lower() if isinstance(value, bool) else value}")
    return words


def effect_of(applied: Applied) -> Effect:
    """An operation's answer for a reader."""
    return Effect(
        hidden=_places(applied.hidden),
        shown=_places(applied.shown),
        added=_places(applied.added),
        warnings=[f"{notice.message} ({_some(notice.indices)})" for notice in applied.warnings],
        visible_count=applied.visible_count,
        tokens_before=applied.tokens_before,
        tokens_after=applied.tokens_after,
        cached_prefix_lost=applied.cached_prefix_lost,
        changes_nothing=not (applied.hidden or applied.shown or applied.added)
        and applied.cached_prefix_lost == 0,
    )


def _places(runs: Sequence[tuple[int, int]]) -> str:
    """Runs of log indices for a reader: ``3 messages: #0–#2`` or nothing."""
    count = sum(stop - start for start, stop in runs)
    if not count:
        return ""
    named = [f"#{start}" if stop - start == 1 else f"#{start}–#{stop - 1}" for start, stop in runs]
    shown = ", ".join(named[:8]) + (" …" if len(named) > 8 else "")
    return ngettext("%(n)s message: %(places)s", "%(n)s messages: %(places)s", count) % {
        "n": count,
        "places": shown,
    }


def _some(indices: Sequence[int]) -> str:
    return ", ".join(f"#{index}" for index in indices[:8]) + (" …" if len(indices) > 8 else "")


def move_words(move: Move) -> str:
    """A move in words: ``rolled back from revision 4 to 1``."""
    text = (
        _("rolled back from revision %(a)s to %(b)s")
        if move.kind == "rollback"
        else _("restored from revision %(a)s to %(b)s")
    )
    return text % {"a": move.from_revision, "b": move.to_revision}


def crumbs(head: Conversation | None = None, *more: Crumb) -> tuple[Crumb, ...]:
    """The way to a page of a conversation."""
    first = Crumb(_("Conversations"), reverse("conversations:list"))
    if head is None:
        return (first, *more)
    here = Crumb(
        head.title or head.public_id, reverse("conversations:detail", args=[head.public_id])
    )
    return (first, here, *more)


def metadata_text(head: Conversation) -> str:
    """The metadata as indented JSON for a form."""
    return orjson.dumps(orjson.loads(bytes(head.metadata)), option=orjson.OPT_INDENT_2).decode()


def plain_text(message: StoredMessage) -> str:
    """A message as text for a comparison: its role, its text, the names of its calls."""
    body = orjson.loads(message.body)
    calls = [_call_card(call, None) for call in body.get("tool_calls") or ()]
    named = [f"{call.name}({call.arguments.text})" for call in calls]
    return f"{message.role}: " + "\n".join([text_of_body(message.body), *named]).strip()
