"""What the conversation pages show, made of rows and rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Final

import orjson
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from pydantic import JsonValue

from conversations.domain.configs import OperationConfig
from conversations.domain.operations import NoticeCode
from conversations.domain.pairing import Split
from conversations.domain.view import View
from conversations.models import Conversation, Move, Revision
from conversations.pages.cards import plain_body
from conversations.queries import messages_at
from conversations.services import Applied
from ctxadmin.web.components import Crumb, Text, in_a_list

_MOST_RANGES: Final = 12
_GLIMPSES: Final = 12
BUDGET_KEY: Final = "token_budget"
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

_NOTICES: Final[Mapping[NoticeCode | Split, Text]] = {
    "no_result": gettext_lazy(
        "A provider rejects a tool call without all of its results behind it: %(places)s."
    ),
    "no_call": gettext_lazy(
        "A provider rejects a tool result without its call before it: %(places)s."
    ),
    "apart": gettext_lazy(
        "A provider rejects tool results that do not stand right behind their call, once each: "
        "%(places)s."
    ),
    "orphan_result": gettext_lazy("These tool results answer no call of the log: %(places)s."),
    "tools_hidden": gettext_lazy("A description of the tools is hidden now: %(places)s."),
}


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
class Glimpse:
    """A message in one line."""

    index: int
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change of the view does or would do, in numbers and sentences.

    ``goes`` and ``comes`` are the first messages that get hidden, and are new or shown again;
    ``splits`` tells that tool calls and results would be parted, if nothing is done about it.
    """

    hidden: str
    shown: str
    added: str
    goes: Sequence[Glimpse]
    comes: Sequence[Glimpse]
    splits: bool
    warnings: Sequence[Text]
    visible_count: int
    tokens_before: int
    tokens_after: int
    cached_prefix_lost: int
    changes_nothing: bool


def batch_lines(
    head: Conversation, rows: Sequence[Revision], *, branch: frozenset[int], may_move: bool
) -> list[BatchLine]:
    """The rail, newest first: roll back on the branch, restore beside it."""
    return [_batch_line(head, row, row.number in branch, may_move) for row in reversed(rows)]


def folded(lines: Sequence[BatchLine]) -> list[tuple[bool, list[BatchLine]]]:
    """The rail in groups: lines of the branch, and what was rolled back in between, to fold."""
    groups = groupby(lines, key=lambda line: line.on_branch)
    return [(on_branch, list(group)) for on_branch, group in groups]


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
    words += [_("pairing %(way)s") % {"way": config["pairing"]}] if config.get("pairing") else []
    words += [_("tools protected")] if config.get("protect_tools") else []
    return in_a_list(words)


# As the forms name them, short enough for a line.
_OPTIONS: Final[Mapping[str, Text]] = {
    "keep_first": gettext_lazy("keep first"),
    "keep_last": gettext_lazy("keep last"),
    "remove_first": gettext_lazy("remove first"),
    "remove_last": gettext_lazy("remove last"),
    "range": gettext_lazy("range"),
    "roles": gettext_lazy("roles"),
    "content_contains": gettext_lazy("content contains"),
    "content_excludes": gettext_lazy("content excludes"),
    "index": gettext_lazy("index"),
    "position": gettext_lazy("position"),
    "keep_system_message": gettext_lazy("keep system message"),
}


def _options(block: dict[str, JsonValue]) -> list[str]:
    words: list[str] = []
    for name, value in block.items():
        label = str(_OPTIONS.get(name, name.replace("_", " ")))
        if name in ("messages", "message"):
            count = len(value) if isinstance(value, list) else 1
            words.append(ngettext("%(n)s message", "%(n)s messages", count) % {"n": count})
        elif isinstance(value, dict):
            words.append(f"{label} {value.get('start')}–{value.get('end')}")
        elif name == "remove_ranges" and isinstance(value, list):
            words.append(_("without positions %(ranges)s") % {"ranges": _range_words(value)})
        elif isinstance(value, list):
            words.append(f"{label} {', '.join(map(str, value))}")
        elif value is not None:
            words.append(f"{label} {str(value).lower() if isinstance(value, bool) else value}")
    return words


def _range_words(ranges: list[JsonValue]) -> str:
    """Ranges with the last position in them: ``3–5, 8``."""
    pairs = [(each["start"], each["end"]) for each in ranges if isinstance(each, dict)]
    ends = [(start, end - 1) for start, end in pairs if type(start) is type(end) is int]
    words = [f"{first}" if first == last else f"{first}–{last}" for first, last in ends]
    return ", ".join(words[:_MOST_RANGES]) + (" …" if len(words) > _MOST_RANGES else "")


def messages_in(head: Conversation, applied: Applied) -> Mapping[int, Glimpse]:
    """The first messages that a change hides and those that it shows again."""
    hidden, shown = View(applied.hidden), View(applied.shown)
    wanted = [*hidden.slice(0, _GLIMPSES), *shown.slice(0, _GLIMPSES)]
    found = messages_at(head, wanted, View())
    return {each.index: _glimpse(each.index, each.role, each.body) for each in found}


def new_messages(config: OperationConfig, applied: Applied) -> list[Glimpse]:
    """The first messages that an operation brings along, at their places in the log."""
    written = [*(config.insert.messages if config.insert else ())]
    written += [config.replace.message] if config.replace else []
    places = View(applied.added).slice(0, _GLIMPSES)
    drafts = [message.draft(is_logged=True) for message in written[:_GLIMPSES]]
    return [
        _glimpse(index, draft.role, draft.body) for index, draft in zip(places, drafts, strict=True)
    ]


def _glimpse(index: int, role: str, body: bytes) -> Glimpse:
    return Glimpse(index, role, Truncator(" ".join(plain_body(body).split())).chars(140))


def effect_of(
    applied: Applied, glimpses: Mapping[int, Glimpse], new: Sequence[Glimpse] = ()
) -> Effect:
    """An operation's answer for a reader; ``new`` are messages that it writes."""
    hidden, shown = View(applied.hidden), View(applied.shown)
    return Effect(
        goes=[glimpses[index] for index in hidden.slice(0, _GLIMPSES)],
        comes=[*new, *(glimpses[index] for index in shown.slice(0, _GLIMPSES))],
        splits=splits_pairs(applied),
        hidden=_places(applied.hidden),
        shown=_places(applied.shown),
        added=_places(applied.added),
        warnings=[
            _NOTICES[notice.split or notice.code] % {"places": _some(notice.indices)}
            for notice in applied.warnings
        ],
        visible_count=applied.visible_count,
        tokens_before=applied.tokens_before,
        tokens_after=applied.tokens_after,
        cached_prefix_lost=applied.cached_prefix_lost,
        changes_nothing=not (applied.hidden or applied.shown or applied.added)
        and applied.cached_prefix_lost == 0,
    )


def splits_pairs(applied: Applied) -> bool:
    return any(notice.code == "split_pair" for notice in applied.warnings)


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


def token_budget(head: Conversation) -> int | None:
    """The whole number over 0 under ``token_budget`` in the metadata, if there is one."""
    found = orjson.loads(bytes(head.details.metadata)).get(BUDGET_KEY)
    known = isinstance(found, int) and not isinstance(found, bool)
    return found if known and found > 0 else None
