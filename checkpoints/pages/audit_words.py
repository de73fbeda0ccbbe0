"""The keys that edits of a state changed, in words for the audit."""

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Final

import orjson
from django.db.models import Q
from django.utils.translation import ngettext

from checkpoints.models import Checkpoint
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Action
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.ui.audit.change_words import Run
from ctxadmin.ui.components import Text, join_list

_MOST_NAMED: Final = 3
_LONGEST: Final = 40  # characters of a key
Place = tuple[int, int]  # stream and number; the stream of a conversation is its key


def words_of_runs(runs: Sequence[Run]) -> Sequence[Text]:
    """Returns the first keys of each edit, "" for other changes.

    Changes of executions are never said together.
    """
    entries = [run[0] for run in runs if run[0].action == Action.SNAPSHOT_UPDATE]
    found = _keys_of(entries)
    return [_listed(found.get((run[0].stream, run[0].seq), ())) for run in runs]


def _keys_of(entries: Sequence[AuditEntry]) -> Mapping[Place, Sequence[str]]:
    """Returns the changed keys of those edits whose version is still listed, with one query."""
    wanted = [
        Q(conversation=entry.stream, version=version, change_seq=entry.seq)
        for entry in entries
        if (version := whole_number(entry.version_after.partition(".")[0])) is not None
    ]
    if not wanted:
        return {}
    rows = Checkpoint.objects.filter(reduce(or_, wanted))
    listed = rows.values_list("conversation", "change_seq", "changed_keys")
    return {(key, seq): orjson.loads(bytes(keys)) for key, seq, keys in listed}


def _listed(keys: Sequence[str]) -> Text:
    named = [each if len(each) <= _LONGEST else f"{each[:_LONGEST]}…" for each in keys]
    further = len(named) - _MOST_NAMED
    if further <= 0:
        return join_list(named)
    more = ngettext("%(n)s more", "%(n)s more", further) % {"n": further}
    return join_list([*named[:_MOST_NAMED], more])
