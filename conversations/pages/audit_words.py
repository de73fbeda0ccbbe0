"""What changes of a context did, in words for the audit."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_

from django.db.models import Q

from conversations.models import Revision
from conversations.pages.batch_words import batch_words
from conversations.reading.batch_changes import changes_of
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Action
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.ui.components import Text


def words_of_entries(entries: Sequence[AuditEntry]) -> Mapping[tuple[int, int], Text]:
    """Returns the sentences of the batches that entries opened, by stream and number.

    The stream of a conversation is its key; nothing is left of erased ones.
    """
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
