"""Adds texts to the index and removes them, each with the mark of its conversation.

A mark changes only from the state that was read, in the transaction of its texts. So of two who
index one conversation one wins, and none adds to a conversation that was erased meanwhile.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import transaction

from conversations.models import Conversation
from ctxadmin.storage.tables import Table
from search import words
from search.document_ids import new_ids, usual_start
from search.domain.query import HitKind
from search.domain.terms import terms_of
from search.models import SearchDocument, SearchMark
from search.texts import IndexedText, tool_fact
from search.words import Words

_MARKS: Final = Table(SearchMark)
_DOCUMENTS: Final = Table(SearchDocument)
_TRIES: Final = 20
_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class _Entry:
    document: SearchDocument
    terms: Sequence[str]
    facts: Sequence[str]


def find_mark(head: Conversation) -> SearchMark:
    """Returns the mark of a conversation; makes it first, so that an erasure finds it."""
    mark = SearchMark.objects.filter(conversation=head.key).first()
    if mark is None:
        fresh = SearchMark(conversation=head.key, workspace=head.workspace)
        SearchMark.objects.bulk_create([fresh], ignore_conflicts=True)
        mark = SearchMark.objects.get(conversation=head.key)
    return mark


def commit(
    before: SearchMark, after: SearchMark, texts: Sequence[IndexedText], removed: Iterable[int] = ()
) -> bool:
    """Adds texts, removes documents by id, and moves the mark, all or nothing.

    Returns False, with nothing done, if the mark is not as it was read.
    """
    entries = [_entry(before, text) for text in texts]
    values = {
        field.attname: getattr(after, field.attname)
        for field in SearchMark._meta.concrete_fields
        if not field.primary_key
    }
    same = SearchMark.objects.filter(
        conversation=before.conversation,
        erased=False,
        seq=before.seq,
        messages=before.messages,
    )
    with transaction.atomic():
        if not same.update(**values):
            return False
        _remove(before.workspace, removed)
        _insert(before.workspace, entries, [text.at for text in texts])
    return True


def erase(conversation: int) -> None:
    """Removes the texts of a conversation that is being erased, in the transaction of that.

    The mark stays until the indexer meets the erasure, and refuses whoever indexes just now.
    """
    head = Conversation.objects.filter(key=conversation).values_list("workspace", flat=True)
    for workspace in head:
        _MARKS.upsert([SearchMark(conversation=conversation, workspace=workspace, erased=True)])
        _remove(workspace, _ids_of(workspace, conversation))


def remove_erased(workspace: int, conversation: int) -> None:
    """Removes what is left of a conversation that is not there any more."""
    with transaction.atomic():
        _remove(workspace, _ids_of(workspace, conversation))
        SearchMark.objects.filter(conversation=conversation).delete()


def remove_workspace(workspace: int) -> None:
    """Empties the index of a workspace, by conversations; erasures keep their marks."""
    marks = SearchMark.objects.filter(workspace=workspace, erased=False).order_by("-conversation")
    for key in list(marks.values_list("conversation", flat=True)):
        with transaction.atomic():
            marks.filter(conversation=key).delete()  # first: it stops whoever indexes it just now
            _remove(workspace, _ids_of(workspace, key))


def _ids_of(workspace: int, conversation: int) -> list[int]:
    rows = SearchDocument.objects.filter(workspace=workspace, conversation=conversation)
    return list(rows.values_list("id", flat=True))


def _remove(workspace: int, ids: Iterable[int]) -> None:
    gone = list(ids)
    words.remove(workspace, gone)
    for at in range(0, len(gone), _AT_ONCE):
        part = gone[at : at + _AT_ONCE]
        SearchDocument.objects.filter(workspace=workspace, id__in=part).delete()


def _entry(mark: SearchMark, text: IndexedText) -> _Entry:
    place = text.place
    document = _DOCUMENTS.new(
        {
            "workspace": mark.workspace,
            "id": 0,
            "conversation": mark.conversation,
            "kind": place.kind.value,
            "role": place.role,
            "about": place.about,
            "index": place.index,
            "execution": place.execution,
            "version": place.version,
            "number": place.number,
            "key": place.key,
        }
    )
    return _Entry(document, terms_of(text.text), [tool_fact(name) for name in set(text.tools)])


def _insert(workspace: int, entries: Sequence[_Entry], moments: Sequence[datetime]) -> None:
    if not entries:
        return
    first = entries[0].document
    is_message = first.kind == HitKind.MESSAGE
    ids = new_ids(moments, usual_start(first.conversation, first.index if is_message else None))
    for _ in range(_TRIES):
        if not words.find_taken(workspace, ids):
            break
        ids = new_ids(moments)
    for entry, name in zip(entries, ids, strict=True):
        entry.document.id = name
    _DOCUMENTS.insert(entry.document for entry in entries)
    words.insert(
        workspace, (Words(entry.document.id, entry.terms, entry.facts) for entry in entries)
    )
