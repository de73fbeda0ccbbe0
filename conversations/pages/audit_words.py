"""Names of conversations and words of their changes for the audit."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Final

from django.db.models import Q
from django.db.models.functions import Length

from conversations.models import Conversation, Revision
from conversations.pages.batch_words import batch_words
from conversations.pages.comment_words import words_of_comments
from conversations.reading.batch_changes import changes_of
from conversations.reading.display_names import display_name, read_display_names
from ctxadmin.audit.models import AuditEntry
from ctxadmin.audit.queries import NamedObject
from ctxadmin.identity.roles import Action
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.ui.audit.change_words import Run
from ctxadmin.ui.components import Text

_LATEST: Final = 200  # conversations whose names are derived to compare them


def words_of_runs(runs: Sequence[Run]) -> Sequence[Text]:
    """Returns the sentences of the batches that were opened and the places of comments, else "".

    Changes of conversations are never said together.
    """
    entries = [run[0] for run in runs]
    found = {**_words_of_entries(entries), **words_of_comments(entries)}
    return [found.get((entry.stream, entry.seq), "") for entry in entries]


def names_of_conversations(workspace: int, ids: Collection[str]) -> Mapping[str, str]:
    """Returns the names of conversations by which people recognize them, by id."""
    heads = list(Conversation.objects.for_workspace(workspace).filter(public_id__in=ids))
    read_display_names(heads)
    return {head.public_id: display_name(head) for head in heads}


def conversations_named(workspace: int, beginning: str, most: int) -> Sequence[NamedObject]:
    """Returns the conversations whose names begin with a text.

    Names that are not stored, as those from the first message, are found of the latest ones only.
    """
    heads = Conversation.objects.for_workspace(workspace)
    titled = heads.filter(archived__in=[False, True], title__istartswith=beginning)
    stored = titled.order_by(Length("title"), "key").values_list("public_id", "title", "key")
    latest = heads.that_are(archived=False).order_by("-updated_at", "-key")[:_LATEST]
    untitled = [head for head in latest if not head.title]
    read_display_names(untitled)
    derived = [(head.public_id, display_name(head), head.key) for head in untitled]
    fitting = [each for each in derived if each[1].casefold().startswith(beginning.casefold())]
    found = sorted([*stored[:most], *fitting], key=lambda each: len(each[1]))
    return [NamedObject("conversation", *each) for each in found[:most]]


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
