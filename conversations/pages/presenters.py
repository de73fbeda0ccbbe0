"""What the conversation pages show, built from rows and rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Final

import orjson
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy
from pydantic import JsonValue

from conversations.models import Conversation, Move, Revision
from conversations.reading.display_names import display_name
from conversations.store.conversation import metadata_of_head
from ctxadmin.lib.json_bytes import is_object
from ctxadmin.ui.components import Crumb, Text, join_list

BUDGET_KEY: Final = "token_budget"
OPERATION_WORDS: Final[Mapping[str, Text]] = {
    "start": gettext_lazy("Start"),
    "append": gettext_lazy("Continued after a rollback"),
    "batch": gettext_lazy("New batch"),
    "truncate": gettext_lazy("Truncate"),
    "insert": gettext_lazy("Insert"),
    "replace": gettext_lazy("Replace"),
    "clear": gettext_lazy("Clear"),
    "filter": pgettext_lazy("an operation", "Filter"),
    "budget": gettext_lazy("Budget"),
    "summarize": gettext_lazy("Summary"),
}


@dataclass(frozen=True, slots=True)
class BatchLine:
    """A revision in the list: the operation, its author and reason, and the possible actions."""

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


def batch_lines(
    head: Conversation, rows: Sequence[Revision], *, branch: frozenset[int], may_move: bool
) -> list[BatchLine]:
    """Returns the list, latest first: roll back on the branch, restore beside it."""
    return [_batch_line(head, row, row.number in branch, may_move) for row in reversed(rows)]


def group_lines(lines: Sequence[BatchLine]) -> list[tuple[bool, list[BatchLine]]]:
    """Returns the list in groups: lines of the branch, and folded ones that were rolled back."""
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
        operation=operation_label(row),
        summary=config_text(row),
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


def operation_label(row: Revision) -> Text:
    """What opened a revision, as it was done: an operation, or a pin."""
    pin = _pin_of(row)
    if pin is not None:
        return _("Pinned") if pin.get("pinned") else _("Unpinned")
    return _done_words(row) or OPERATION_WORDS.get(row.operation, row.operation)


def _done_words(row: Revision) -> str:
    """``Kept the last 6 messages``; "" for what cannot be said so shortly."""
    config = bytes(row.config)
    found = orjson.loads(config) if is_object(config) else {}
    block = found.get(row.operation)
    if not isinstance(block, dict):
        return ""
    given = {key: value for key, value in block.items() if value and key != "keep_system"}
    if row.operation == "truncate" and len(given) == 1:
        return _truncated_words(*given.popitem(), pairing=found.get("pairing"))
    if row.operation == "replace":
        return _("Replaced a message")
    return ""


def _truncated_words(option: str, value: JsonValue, *, pairing: JsonValue) -> str:
    if option == "remove_ranges" and isinstance(value, list):
        count = _count_in(value)
        if pairing == "drop":
            # The other halves of tool calls went too, if there were any.
            text = ngettext("Hid %(n)s selected message", "Hid %(n)s selected messages", count)
        else:
            text = ngettext("Hid %(n)s message", "Hid %(n)s messages", count)
        return text % {"n": count}
    if type(value) is not int:
        return ""
    if option == "remove_first":
        text = ngettext("Hid the first %(n)s message", "Hid the first %(n)s messages", value)
        return text % {"n": value}
    if option == "keep_last":
        text = ngettext("Kept the last %(n)s message", "Kept the last %(n)s messages", value)
        return text % {"n": value}
    return ""


def _pin_of(row: Revision) -> dict[str, JsonValue] | None:
    """Returns the pin that a revision records, None without one."""
    if row.operation != "append":
        return None
    config = bytes(row.config)
    pin = orjson.loads(config).get("pin") if is_object(config) else None
    return pin if isinstance(pin, dict) else None


_PAIRINGS: Final[Mapping[str, Text]] = {
    "warn": gettext_lazy("tool pairs: only warn"),
    "keep": gettext_lazy("tool pairs: keep both"),
    "drop": gettext_lazy("tool pairs: hide both"),
}


def config_text(row: Revision) -> str:
    """Returns the options of an operation: ``keep last 6, tool pairs: keep both``."""
    if row.boundary is not None:
        return _("from message %(index)s on") % {"index": row.boundary}
    pin = _pin_of(row)
    if pin is not None:
        return _("message #%(n)s") % {"n": pin.get("index")}
    config = orjson.loads(bytes(row.config))
    block = config.get(row.operation)
    options = dict(block) if isinstance(block, dict) else {}
    if _done_words(row):
        options.pop("remove_ranges", None)
    words = _options(options)
    words += [str(_PAIRINGS[config["pairing"]])] if config.get("pairing") in _PAIRINGS else []
    words += [_("tool description kept")] if config.get("protect_tools") else []
    words += [_("pinned messages, too")] if config.get("include_pinned") else []
    words += [_("with a line that names them")] if config.get("leave_pointer") else []
    return join_list(words)


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
    "nodes": gettext_lazy("nodes"),
    "tools": gettext_lazy("tools"),
    "metadata": gettext_lazy("metadata"),
    "older_than": gettext_lazy("older than"),
    "newer_than": gettext_lazy("newer than"),
    "larger_than": gettext_lazy("larger than"),
    "has": gettext_lazy("has"),
    "index": gettext_lazy("index"),
    "position": gettext_lazy("position"),
    "keep_system_message": gettext_lazy("keep system message"),
    "max_tokens": gettext_lazy("over"),
    "target_tokens": gettext_lazy("cut to"),
    "drop": gettext_lazy("drop"),
    "keep_last_results": gettext_lazy("keep last results"),
    "keep_turn_start": gettext_lazy("keep turn start"),
    "placeholder": gettext_lazy("placeholder"),
    "at_least": gettext_lazy("at least"),
}


def _options(block: dict[str, JsonValue]) -> list[str]:
    words: list[str] = []
    for name, value in block.items():
        label = str(_OPTIONS.get(name, name.replace("_", " ")))
        if name == "sources":
            continue
        if name in ("messages", "message"):
            count = len(value) if isinstance(value, list) else 1
            words.append(ngettext("%(n)s message", "%(n)s messages", count) % {"n": count})
        elif isinstance(value, dict) and name in ("older_than", "newer_than", "metadata"):
            words.append(f"{label} {_pairs(value)}")
        elif isinstance(value, dict):
            words.append(f"{label} {value.get('start')}–{value.get('end')}")
        elif name == "remove_ranges" and isinstance(value, list):
            count = _count_in(value)
            words.append(
                ngettext("hide %(n)s message", "hide %(n)s messages", count) % {"n": count}
            )
        elif isinstance(value, list):
            words.append(f"{label} {', '.join(map(str, value))}")
        elif name == "keep_system":
            words += [_("system messages kept")] if value else []
        elif value is not None:
            words.append(f"{label} {str(value).lower() if isinstance(value, bool) else value}")
    return words


def _pairs(values: dict[str, JsonValue]) -> str:
    """Returns the given values: ``turns 3``, ``trust high*, lang de``."""
    return ", ".join(f"{name} {value}" for name, value in values.items() if value is not None)


def _count_in(ranges: Sequence[JsonValue]) -> int:
    """Returns how many positions are in ranges; where they were is no number of a message."""
    ends = [(each.get("start"), each.get("end")) for each in ranges if isinstance(each, dict)]
    return sum(end - start for start, end in ends if type(start) is type(end) is int)


def move_label(move: Move, batches: Mapping[int, int]) -> str:
    """Returns a move in words: ``rolled back from batch 4 to 1``.

    ``batches`` are the batch numbers by revision.
    """
    text = (
        _("rolled back from batch %(a)s to %(b)s")
        if move.kind == "rollback"
        else _("restored batch %(b)s in place of batch %(a)s")
    )
    return text % {"a": batches[move.from_revision], "b": batches[move.to_revision]}


def crumbs(head: Conversation | None = None, *more: Crumb) -> tuple[Crumb, ...]:
    """Returns the breadcrumbs of a page of a conversation."""
    first = Crumb(_("Conversations"), reverse("conversations:list"))
    if head is None:
        return (first, *more)
    here = Crumb(display_name(head), reverse("conversations:detail", args=[head.public_id]))
    return (first, here, *more)


def token_budget(head: Conversation) -> int | None:
    """Returns the positive whole number under ``token_budget`` in the metadata, if there is one."""
    found = orjson.loads(metadata_of_head(head)).get(BUDGET_KEY)
    known = isinstance(found, int) and not isinstance(found, bool)
    return found if known and found > 0 else None
