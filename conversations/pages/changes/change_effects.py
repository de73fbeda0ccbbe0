"""The effects of a change of the view, message by message and in figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext_lazy, ngettext

from conversations.domain import runs as run_sets
from conversations.domain.change_costs import USUAL, change_cost
from conversations.domain.diff import diff_views
from conversations.domain.message import CountsAs
from conversations.domain.operations import Notice
from conversations.domain.runs import Runs
from conversations.domain.view import View
from conversations.models import Conversation
from conversations.pages.changes.budget_hints import over_budget_text
from conversations.pages.changes.change_cost_words import cost_text, cost_warning
from conversations.pages.comparison.comparison_pages import ViewDifferences, message_changes
from conversations.pages.message_numbers import format_runs
from conversations.reading.model_names import model_of
from conversations.services.results import Applied
from conversations.store.conversation import find_revision, view_of
from conversations.store.sql_log import SqlLog
from conversations.workspace.pricing import prices_of
from ctxadmin.ui.components import Text

_SYSTEM: Final[frozenset[CountsAs]] = frozenset({"system"})
_NO_EDITS: Final[Mapping[int, int]] = {}
_NOTICES: Final[Mapping[str, Text]] = {
    "no_result": gettext_lazy(
        "These calls would lose a result: %(places)s. Most providers reject that."
    ),
    "no_call": gettext_lazy(
        "These results would lose their call: %(places)s. Most providers reject that."
    ),
    "apart": gettext_lazy(
        "These results would not directly follow their call: %(places)s. Most providers reject "
        "that."
    ),
    "orphan_result": gettext_lazy("These tool results belong to no call: %(places)s."),
    "tools_hidden": gettext_lazy("The tool description will be hidden: %(places)s."),
    "kept_pinned": gettext_lazy("These pinned messages stay: %(places)s."),
}


@dataclass(frozen=True, slots=True)
class Effect:
    """A change of the view for a reader.

    ``system_dropped`` says which system messages are hidden, ``system_kept`` which ones stay only
    because they are system messages. ``splits`` is True if tool calls and results would be
    separated.
    """

    hidden: str
    shown: str
    added: str
    changes: ViewDifferences
    system_dropped: str
    system_kept: str
    splits: bool
    warnings: Sequence[Text]
    visible_count: int
    tokens_before: int
    tokens_after: int
    cached_prefix_lost: int
    cost: str
    cost_warning: str
    changes_nothing: bool


def effect_of(
    head: Conversation,
    applied: Applied,
    edits: Mapping[int, int] = _NO_EDITS,
    *,
    kept: Runs = (),
    moves: bool = False,
) -> Effect:
    """Returns the effect on the current view of ``head``.

    ``edits`` are the messages that others replace, by log index; ``kept`` are the system messages
    that would have been hidden otherwise. It ``moves`` if it leads back to a view that was: then
    what it costs is no reason against it.
    """
    before = current_view(head)
    found = diff_views(before, applied.view, known=head.log_count, edits=edits)
    drafts = {entry.index: entry.draft for entry in applied.entries}
    price = prices_of(head.workspace).price_of(model_of(head))
    cost = change_cost(
        applied.tokens_before, applied.tokens_after, applied.cached_prefix_lost, price or USUAL
    )
    dropped = find_system_messages(head, run_sets.difference(applied.hidden, _runs_of(edits)))
    return Effect(
        hidden=_places(applied.hidden),
        shown=_places(applied.shown),
        added=_places(applied.added),
        changes=message_changes(head, before, applied.view, found, drafts),
        system_dropped=_dropped_words(dropped),
        system_kept=_system_kept_words(kept),
        splits=splits_pairs(applied),
        warnings=[
            _notice_words(notice)
            for notice in applied.warnings
            if notice.code != "system_hidden"  # system_dropped tells it, and in red.
        ],
        visible_count=applied.visible_count,
        tokens_before=applied.tokens_before,
        tokens_after=applied.tokens_after,
        cached_prefix_lost=applied.cached_prefix_lost,
        cost=cost_text(cost, in_money=price is not None),
        cost_warning=cost_warning(cost) if applied.hidden and not moves else "",
        changes_nothing=not (applied.hidden or applied.shown or applied.added)
        and applied.cached_prefix_lost == 0,
    )


def _notice_words(notice: Notice) -> Text:
    if notice.code == "over_budget":
        return over_budget_text(notice.message)
    return _NOTICES[notice.split or notice.code] % {"places": _some(notice.indices)}


def current_view(head: Conversation) -> View:
    """Returns the current view."""
    view = view_of(find_revision(head.key, head.current_revision))
    return view.slice(0, head.visible_count)


def find_system_messages(head: Conversation, runs: Runs) -> Runs:
    """The system messages among some log indices, without descriptions of tools and lines."""
    log = SqlLog(head, head.log_count, head.current_revision)
    found = log.with_roles(_SYSTEM, runs)
    if not found:
        return ()
    others = {*log.tool_descriptions(), *log.pointers()}
    return run_sets.difference(found, run_sets.of_indices(sorted(others)))


def splits_pairs(applied: Applied) -> bool:
    return any(notice.code == "split_pair" for notice in applied.warnings)


def _runs_of(edits: Mapping[int, int]) -> Runs:
    return run_sets.of_indices(sorted(edits))


def _dropped_words(runs: Runs) -> str:
    if not runs:
        return ""
    text = ngettext(
        "The system message will be hidden: %(places)s.",
        "%(n)s system messages will be hidden: %(places)s.",
        _count(runs),
    )
    return text % {"n": _count(runs), "places": format_runs(runs)}


def _system_kept_words(runs: Runs) -> str:
    if not runs:
        return ""
    text = ngettext(
        "The system message stays: %(places)s.",
        "%(n)s system messages stay: %(places)s.",
        _count(runs),
    )
    return text % {"n": _count(runs), "places": format_runs(runs)}


def _count(runs: Runs) -> int:
    return sum(stop - start for start, stop in runs)


def _places(runs: Runs) -> str:
    """Returns runs of log indices for a reader: ``3 messages: #0–#2``, or nothing."""
    count = _count(runs)
    if not count:
        return ""
    return ngettext("%(n)s message: %(places)s", "%(n)s messages: %(places)s", count) % {
        "n": count,
        "places": format_runs(runs),
    }


def _some(indices: Sequence[int]) -> str:
    return ", ".join(f"#{index}" for index in indices[:8]) + (" …" if len(indices) > 8 else "")
