"""Names of conversations and words of their changes for the audit."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from operator import or_

from django.db.models import Q

from conversations.models import Conversation, Revision
from conversations.pages.batch_words import batch_words
from conversations.reading.batch_changes import changes_of
from conversations.reading.display_names import display_name, read_display_names
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Action
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.ui.audit.change_words import Run
from ctxadmin.ui.components import Text


def words_of_runs(runs: Sequence[Run]) -> Sequence[Text]:
    """Returns the sentences of the batches that were opened, "" for other changes.

    Changes of conversations are never said together.
    """
    entries = [run[0] for run in runs]
    found = _words_of_entries(entries)
    return [found.get((entry.stream, entry.seq), "") for entry in entries]


def names_of_conversations(workspace: int, ids: Collection[str]) -> Mapping[str, str]:
    """Returns the names of conversations by which people recognize them, by id."""
    heads = list(Conversation.objects.for_workspace(workspace).filter(public_id__in=ids))
    read_display_names(heads)
    return {head.public_id: display_name(head) for head in heads}


def _words_of_entries(entries: Sequence[AuditEntry]) -> Mapping[tuple[int, int], Text]:
    """Returns the sentences by stream and number; the stream of a conversation is its key."""
    wanted: dict[tuple[int, int], tuple[int, int]] = {}
    numbers: dict[int, list[int]] = defaultdict(list)
    for entry in entries:
        revision = whole_number(entry.version_after.partition(".")[0])
        if entry.action == Action.MESSAGES_OPERATE and revision is not None:
            wanted[entry.stream, entry.seq] = (entry.stream, revision)
            numbers[entry.stream].append(revision)
    if not wanted:
        return {}
    chosen = [Q(conversation=key, number__in=of_it) for key, of_it in numbers.items()]
    rows = Revision.objects.filter(reduce(or_, chosen)).defer("opened", "grown")
    found = {(row.conversation, row.number): row for row in rows}
    changes = changes_of(list(found.values()))
    return {
        entry: batch_words(found[place], changes)
        for entry, place in wanted.items()
        if place in found
    }
