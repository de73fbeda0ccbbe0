"""What opened a batch, in one sentence: ``Hid #3–#5``, ``Summarized #1–#3``."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import orjson
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext, pgettext_lazy

from conversations.domain import runs as run_sets
from conversations.domain.revisions import PinnedBy
from conversations.domain.runs import Runs
from conversations.models import Revision
from conversations.pages.message_numbers import format_runs
from conversations.reading.batch_changes import BatchChange, Place, changes_of
from ctxadmin.lib.json_bytes import is_object
from ctxadmin.ui.components import Text, join_list
from ctxadmin.ui.templatetags.ui import grouped

Fields = Mapping[str, Any]  # a stored config, which may be damaged

_MOST_RUNS: Final = 3  # more of them are only counted
_MOST_NAMES: Final = 3

_SHORT: Final[Mapping[str, Text]] = {
    "start": gettext_lazy("Start"),
    "append": gettext_lazy("Continued after a rollback"),
    "batch": gettext_lazy("New batch"),
    "truncate": gettext_lazy("Hid messages"),
    "insert": gettext_lazy("Inserted messages"),
    "replace": gettext_lazy("Replaced a message"),
    "clear": gettext_lazy("Hid all but the system messages"),
    "filter": gettext_lazy("Kept some messages"),
    "budget": gettext_lazy("Cut to a budget"),
    "summarize": gettext_lazy("Summarized messages"),
}
_TRAITS: Final[Mapping[str, Text]] = {
    "tool_call": gettext_lazy("with a tool call"),
    "image": gettext_lazy("with an image"),
    "pinned": pgettext_lazy("messages", "that are pinned"),
    "comment": gettext_lazy("with a comment"),
}


def words_of(row: Revision) -> Text:
    """Returns what opened one revision in one sentence."""
    return batch_words(row, changes_of([row]))


def batch_words(row: Revision, changes: Mapping[Place, BatchChange]) -> Text:
    """Returns what opened a revision in one sentence; not among ``changes`` it names no messages.

    Options are in it only if they are no defaults.
    """
    try:
        said = _words(row, changes.get((row.conversation, row.number)))
    except (AttributeError, KeyError, TypeError, ValueError):  # a damaged config
        said = ""
    return said or _SHORT.get(row.operation, row.operation)


def batch_options(row: Revision) -> str:
    """Returns what else was asked for; mostly nothing."""
    config = _config_of(row)
    words = [_("pinned messages, too")] if config.get("include_pinned") else []
    words += [_("leaving a note that lists them")] if config.get("leave_pointer") else []
    return join_list(words)


def pinned_by(row: Revision) -> PinnedBy:
    """Returns whether someone pinned by undoing or by redoing, "" if it was neither."""
    pin = _config_of(row).get("pin")
    return pin.get("by", "") if isinstance(pin, dict) else ""


def pin_of(row: Revision) -> tuple[int, bool] | None:
    """Returns which message a revision pinned, or unpinned; None if it did neither."""
    pin = _config_of(row).get("pin") if row.operation == "append" else None
    if not isinstance(pin, dict) or not isinstance(pin.get("index"), int):
        return None
    return pin["index"], bool(pin.get("pinned"))


def _config_of(row: Revision) -> Fields:
    config = bytes(row.config)
    found = orjson.loads(config) if is_object(config) else {}
    return found if isinstance(found, dict) else {}


def _words(row: Revision, change: BatchChange | None) -> str:
    if row.boundary is not None:
        return _("Kept from #%(n)s on") % {"n": row.boundary}
    config = _config_of(row)
    if pin := pin_of(row):
        index, pinned = pin
        return (_("Pinned #%(n)s") if pinned else _("Unpinned #%(n)s")) % {"n": index}
    block = config.get(row.operation)
    words = _WORDS.get(row.operation)
    return words(block or {}, change) if words is not None else ""


def hid_words(hidden: Runs) -> str:
    """``Hid #3–#5``; ``Hid 40 messages`` if they are in many places."""
    if not hidden:
        return _("Hid no messages")
    if len(hidden) <= _MOST_RUNS:
        return _("Hid %(places)s") % {"places": format_runs(hidden)}
    count = run_sets.count(hidden)
    text = ngettext("Hid %(n)s message", "Hid %(n)s messages", count)
    return text % {"n": grouped(count)}


def _truncated(block: Fields, change: BatchChange | None) -> str:
    given = {name: value for name, value in block.items() if value is not None}
    given.pop("keep_system", None)
    if len(given) == 1:
        option, value = next(iter(given.items()))
        first = change.before.slice(value, value + 1) if change and option == "remove_first" else ()
        if change and first:
            return _("Kept from #%(n)s on") % {"n": next(iter(first))}
        if option in ("keep_first", "keep_last", "remove_first", "remove_last"):
            return _by_number(option, value)
    if set(given) == {"keep_first", "keep_last"}:
        text = _("Kept the first %(a)s and the last %(b)s messages")
        return text % {"a": grouped(given["keep_first"]), "b": grouped(given["keep_last"])}
    if change is not None:
        return hid_words(change.hidden)
    return _counted(given.get("remove_ranges")) if set(given) == {"remove_ranges"} else ""


def _by_number(option: str, n: int) -> str:
    if option == "keep_first":
        text = ngettext("Kept the first %(n)s message", "Kept the first %(n)s messages", n)
    elif option == "keep_last":
        text = ngettext("Kept the last %(n)s message", "Kept the last %(n)s messages", n)
    elif option == "remove_first":
        text = ngettext("Hid the first %(n)s message", "Hid the first %(n)s messages", n)
    else:
        text = ngettext("Hid the last %(n)s message", "Hid the last %(n)s messages", n)
    return text % {"n": grouped(n)}


def _counted(ranges: Any) -> str:
    """Returns how many positions were hidden; where they were is no number of a message."""
    count = sum(each["end"] - each["start"] for each in ranges)
    text = ngettext("Hid %(n)s message", "Hid %(n)s messages", count)
    return text % {"n": grouped(count)}


def _inserted(block: Fields, change: BatchChange | None) -> str:
    places = [each["index"] for each in block["messages"]]
    new = format_runs(run_sets.of_indices(places))
    behind = change.before.slice(block["position"], block["position"] + 1) if change else ()
    if block["position"] == -1 or (change and not behind):
        return _("Inserted %(places)s at the end") % {"places": new}
    if not behind:
        return _("Inserted %(places)s") % {"places": new}
    return _("Inserted %(places)s before #%(n)s") % {"places": new, "n": next(iter(behind))}


def _replaced(block: Fields, change: BatchChange | None) -> str:
    if change is None:
        return ""
    former = change.before.index_at(block["index"])
    gone = run_sets.difference(change.hidden, ((former, former + 1),))
    if gone and run_sets.count(change.came) == 1:
        return _("Replaced #%(n)s and hid %(places)s") % {"n": former, "places": format_runs(gone)}
    return _("Replaced #%(n)s") % {"n": former}


def _cleared(block: Fields, _change: BatchChange | None) -> str:
    return "" if block.get("keep_system_message", True) else _("Hid all messages")


def _budget(block: Fields, change: BatchChange | None) -> str:
    figures = {"most": grouped(block["max_tokens"]), "target": grouped(block["target_tokens"])}
    if change is not None and not change.hidden:
        return _("Budget of %(most)s tokens: nothing to cut") % figures
    if block.get("drop") == "tool_results":
        return _("Emptied old tool results: over %(most)s tokens down to %(target)s") % figures
    return _("Cut to %(target)s tokens where there were over %(most)s") % figures


def _summarized(block: Fields, _change: BatchChange | None) -> str:
    runs = run_sets.union((start, stop) for start, stop in block["sources"])
    if len(runs) <= _MOST_RUNS:
        return _("Summarized %(places)s") % {"places": format_runs(runs)}
    count = run_sets.count(runs)
    text = ngettext("Summarized %(n)s message", "Summarized %(n)s messages", count)
    return text % {"n": grouped(count)}


def _filtered(block: Fields, _change: BatchChange | None) -> str:
    given = {name: value for name, value in block.items() if value is not None}
    if set(given) == {"content_excludes"}:
        words = _quoted(given["content_excludes"])
        return _("Hid messages that contain %(words)s") % {"words": words}
    return _("Kept only messages %(which)s") % {"which": join_list(_criteria(given))}


def _criteria(given: Fields) -> Iterator[str]:
    """Yields the criteria of a filter, as what follows the word messages."""
    if roles := given.get("roles"):
        yield _("by %(names)s") % {"names": _some(roles)}
    if words := given.get("content_contains"):
        yield _("that contain %(words)s") % {"words": _quoted(words)}
    if words := given.get("content_excludes"):
        yield _("that do not contain %(words)s") % {"words": _quoted(words)}
    if names := given.get("nodes"):
        yield _("of the nodes %(names)s") % {"names": _some(names)}
    if names := given.get("tools"):
        yield _("of the tools %(names)s") % {"names": _some(names)}
    if metadata := given.get("metadata"):
        pairs = [f"{name}: {pattern}" for name, pattern in metadata.items()]
        yield _("with the metadata %(names)s") % {"names": _some(pairs)}
    if age := given.get("older_than"):
        yield _("older than %(age)s") % {"age": _age(age)}
    if age := given.get("newer_than"):
        yield _("newer than %(age)s") % {"age": _age(age)}
    if (size := given.get("larger_than")) is not None:
        yield _("larger than %(n)s tokens") % {"n": grouped(size)}
    yield from (str(_TRAITS.get(trait, trait)) for trait in given.get("has") or ())


def _age(age: Fields) -> str:
    if (turns := age.get("turns")) is not None:
        return ngettext("%(n)s turn", "%(n)s turns", turns) % {"n": grouped(turns)}
    if (count := age.get("messages")) is not None:
        return ngettext("%(n)s message", "%(n)s messages", count) % {"n": grouped(count)}
    return _("%(n)s min") % {"n": grouped(age["minutes"])}


def _quoted(words: list[str]) -> str:
    quoted = [f"“{word[:40]}”" for word in words[:_MOST_NAMES]]
    more = len(words) - _MOST_NAMES
    listed = pgettext("between words of which one is enough", " or ").join(quoted)
    return f"{listed} +{more}" if more > 0 else listed


def _some(names: list[str]) -> str:
    more = len(names) - _MOST_NAMES
    listed = join_list(names[:_MOST_NAMES])
    return f"{listed} +{more}" if more > 0 else listed


_WORDS: Final[Mapping[str, Callable[[Fields, BatchChange | None], str]]] = {
    "truncate": _truncated,
    "insert": _inserted,
    "replace": _replaced,
    "clear": _cleared,
    "filter": _filtered,
    "budget": _budget,
    "summarize": _summarized,
}
