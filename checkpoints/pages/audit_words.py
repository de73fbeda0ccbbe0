"""The keys that edits of a state changed, and what was forked, in words for the audit."""

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import chain
from operator import or_
from typing import Final

import orjson
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from checkpoints.models import Checkpoint
from ctxadmin.audit.models import AuditEntry
from ctxadmin.http.audit.entries import detail_of
from ctxadmin.identity.roles import Action
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.ui.audit.change_words import Run
from ctxadmin.ui.components import Text, join_list
from ctxadmin.ui.object_names import names_of

_MOST_NAMED: Final = 3
_LONGEST: Final = 40  # characters of a key
Place = tuple[int, int]  # stream and number; the stream of a conversation is its key


def words_of_runs(runs: Sequence[Run]) -> Sequence[Text]:
    """Returns the first keys of each edit, and which version a fork is of; "" for other changes.

    Changes of executions are never said together.
    """
    entries = [run[0] for run in runs]
    keys = _keys_of([each for each in entries if each.action == Action.SNAPSHOT_UPDATE])
    forks = _words_of_forks([each for each in entries if each.action == Action.CHECKPOINT_FORK])
    places = [(entry.stream, entry.seq) for entry in entries]
    return [forks.get(place) or _listed(keys.get(place, ())) for place in places]


def _words_of_forks(entries: Sequence[AuditEntry]) -> Mapping[Place, Text]:
    """Returns which version of which conversation was forked into which, the same on both sides.

    Conversations have their names of now; erased ones, and those of entries that do not name their
    own, their ids.
    """
    pairs = {(entry.stream, entry.seq): _forked(entry) for entry in entries}
    names: dict[str, str] = {}
    if entries:
        names |= names_of("conversation", entries[0].workspace, {*chain(*pairs.values())})
    return {
        (entry.stream, entry.seq): _("version %(n)s of “%(source)s” into “%(fork)s”")
        % {
            "n": (entry.version_before or entry.version_after).partition(".")[0],
            "source": names.get(source, source),
            "fork": names.get(fork, fork),
        }
        for entry in entries
        for source, fork in [pairs[entry.stream, entry.seq]]
    }


def _forked(entry: AuditEntry) -> tuple[str, str]:
    """Returns the ids of the conversations that an entry on either side of a fork names."""
    found = detail_of(entry.detail)
    detail = found if isinstance(found, dict) else {}
    own = str(detail.get("conversation", entry.object_id))
    if "fork" in detail:
        return own, str(detail["fork"])
    origin = detail.get("origin")
    return str(origin.get("conversation", "") if isinstance(origin, dict) else ""), own


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
