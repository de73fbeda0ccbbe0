"""Edited keys, completed nodes, forks and labels, in words for the audit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from operator import or_
from typing import Final

import orjson
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from checkpoints.models import Checkpoint, Execution, Label
from ctxadmin.audit.models import AuditEntry
from ctxadmin.http.audit.entries import detail_of
from ctxadmin.identity.roles import Action
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.ui.audit.change_words import Run
from ctxadmin.ui.components import Text, inside_quotes, join_list
from ctxadmin.ui.object_names import names_of
from workflows.reading.node_names import node_names

_MOST_NAMED: Final = 3
_LONGEST: Final = 40  # characters of a key
_COMPLETIONS: Final = (Action.NODE_COMPLETE, Action.NODE_FORCE)
_WRITES: Final = (Action.SNAPSHOT_UPDATE, *_COMPLETIONS)
Place = tuple[int, int]  # stream and number; the stream of a conversation is its key


@dataclass(frozen=True, slots=True)
class _Write:
    """An edit with its ``keys``, or the completion of a ``node``, in an execution."""

    conversation: int
    execution: int
    node: str = ""
    keys: tuple[str, ...] = ()


def words_of_runs(runs: Sequence[Run]) -> Sequence[Text]:
    """Returns the first keys of each edit, completed nodes, which version a fork is of, and labels.

    "" for other changes. Changes of executions are never said together.
    """
    entries = [run[0] for run in runs]
    writes = _writes_of([each for each in entries if each.action in _WRITES])
    names = _names_of(writes.values())
    others = _words_of_forks([each for each in entries if each.action == Action.CHECKPOINT_FORK])
    others |= _words_of_labels([each for each in entries if each.action == Action.LABEL_SET])
    places = [(entry.stream, entry.seq) for entry in entries]
    words = {
        place: _listed(write.keys) if not write.node else names[write]
        for place, write in writes.items()
    }
    return [others.get(place) or words.get(place, "") for place in places]


def _words_of_forks(entries: Sequence[AuditEntry]) -> dict[Place, Text]:
    """Returns which version of which conversation was forked into which, the same on both sides.

    Conversations have their names of now; erased ones, and those of entries that do not name their
    own, their ids.
    """
    pairs = {(entry.stream, entry.seq): _forked(entry) for entry in entries}
    names: dict[str, str] = {}
    if entries:
        names |= names_of("conversation", entries[0].workspace, {*chain(*pairs.values())})
    return {
        (entry.stream, entry.seq): _("version %(n)s of %(source)s into %(fork)s")
        % {
            "n": (entry.version_before or entry.version_after).partition(".")[0],
            "source": source_name,
            "fork": fork_name,
        }
        for entry in entries
        for source_name, fork_name in [_named_apart(pairs[entry.stream, entry.seq], names)]
    }


def _named_apart(ids: tuple[str, str], names: Mapping[str, str]) -> tuple[str, str]:
    """Returns the names of two conversations, with their ids if the names are the same."""
    first, second = (
        _("“%(name)s”") % {"name": inside_quotes(names.get(each, each))} for each in ids
    )
    if first == second:
        return f"{first} ({ids[0]})", f"{second} ({ids[1]})"
    return first, second


def _words_of_labels(entries: Sequence[AuditEntry]) -> Mapping[Place, Text]:
    """Returns the labels that entries set, as long as their versions have them.

    Labels are erased with their conversation, so no entry has one.
    """
    streams = {entry.stream for entry in entries}
    rows = Label.objects.filter(conversation__in=streams) if streams else Label.objects.none()
    names = {(row.conversation, row.created_at): row.name for row in rows}
    words: dict[Place, Text] = {}
    for entry in entries:
        found = detail_of(entry.detail)
        if isinstance(found, dict) and found.get("removed"):
            text = _("label removed")
        elif name := names.get((entry.stream, entry.at)):
            text = _("label “%(name)s”") % {"name": inside_quotes(name)}
        else:
            text = _("a label that was replaced or removed since")
        words[entry.stream, entry.seq] = text
    return words


def _forked(entry: AuditEntry) -> tuple[str, str]:
    """Returns the ids of the conversations that an entry on either side of a fork names."""
    found = detail_of(entry.detail)
    detail = found if isinstance(found, dict) else {}
    own = str(detail.get("conversation", entry.object_id))
    if "fork" in detail:
        return own, str(detail["fork"])
    origin = detail.get("origin")
    return str(origin.get("conversation", "") if isinstance(origin, dict) else ""), own


def _writes_of(entries: Sequence[AuditEntry]) -> Mapping[Place, _Write]:
    """Returns what is known of those edits and completions whose version is still listed.

    It takes one query.
    """
    wanted = [
        Q(conversation=entry.stream, version=version, change_seq=entry.seq)
        for entry in entries
        if (version := whole_number(entry.version_after.partition(".")[0])) is not None
    ]
    if not wanted:
        return {}
    completed = {(each.stream, each.seq) for each in entries if each.action in _COMPLETIONS}
    rows = Checkpoint.objects.filter(reduce(or_, wanted))
    fields = ("conversation", "change_seq", "execution", "saved_node", "changed_keys")
    return {
        (key, seq): _Write(key, execution, node=node)
        if (key, seq) in completed
        else _Write(key, execution, keys=tuple(orjson.loads(bytes(keys))))
        for key, seq, execution, node, keys in rows.values_list(*fields)
    }


def _names_of(writes: Iterable[_Write]) -> Mapping[_Write, Text]:
    """Returns the names of completed nodes in what was executed; their ids in a free execution.

    It takes one query, and one more for versions of workflows that are met first.
    """
    completed = {each for each in writes if each.node}
    runs = {(each.conversation, each.execution) for each in completed}
    if not runs:
        return {}
    wanted = [Q(conversation=key, number=number) for key, number in runs]
    rows = Execution.objects.filter(reduce(or_, wanted))
    fields = ("conversation", "number", "workflow_key", "workflow_version")
    executed = {(key, number): version for key, number, *version in rows.values_list(*fields)}
    places = {
        each: (*executed.get((each.conversation, each.execution), (None, None)), each.node)
        for each in completed
    }
    named = node_names(set(places.values()))
    return {
        each: _("“%(name)s”") % {"name": inside_quotes(named.get(place, each.node))}
        for each, place in places.items()
    }


def _listed(keys: Sequence[str]) -> Text:
    named = [each if len(each) <= _LONGEST else f"{each[:_LONGEST]}…" for each in keys]
    further = len(named) - _MOST_NAMED
    if further <= 0:
        return join_list(named)
    more = ngettext("%(n)s more", "%(n)s more", further) % {"n": further}
    return join_list([*named[:_MOST_NAMED], more])
