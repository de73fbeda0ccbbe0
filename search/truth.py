"""The rows behind some documents of the index, read together: a few statements for each kind."""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any, Final

import orjson
from django.db.models import Model, Q
from pydantic import JsonValue

from checkpoints.models import Checkpoint, Execution
from conversations.domain.view import View
from conversations.models import Comment, Conversation, Message, Move, Revision
from conversations.store.conversation import view_of
from ctxadmin.lib.errors import ContextError
from search.domain.query import HitKind
from search.models import SearchDocument

Placed = tuple[int, int]  # the key of a conversation, and a number in it

_EXECUTION: Final = ("decided", "marking", "reducers", "leases")


class Truth:
    """What some documents are about, as it is now, by the key of the conversation and a number."""

    def __init__(self, documents: Sequence[SearchDocument]) -> None:
        self._documents = documents
        keys = {each.conversation for each in documents}
        self.heads: Mapping[int, Conversation] = (
            Conversation.objects.in_bulk(list(keys)) if keys else {}
        )
        self.revisions = self._rows(Revision, "number", "revision")
        self.moves = self._rows(Move, "seq", "move")
        self.comments = self._rows(Comment, "number", kind=HitKind.COMMENT)
        self.executions = self._executions()
        self.versions = self._versions()
        self.messages = self._rows(Message, "index", kind=HitKind.MESSAGE)
        self._calls = self._calls_of(self.messages.values())
        self._views = self._views_of({key for key, _ in self.messages})

    def is_visible(self, conversation: int, index: int) -> bool:
        """Returns whether a message is in the current view."""
        view = self._views.get(conversation)
        return view is not None and index in view

    def call_of(self, row: Message) -> Mapping[str, JsonValue] | None:
        """Returns the message with the call that a tool result answers."""
        if row.call_index is None:
            return None
        return self._calls.get((row.conversation, row.call_index))

    def _rows(
        self, model: type[Model], field: str, about: str = "", kind: HitKind = HitKind.REASON
    ) -> dict[Placed, Any]:
        column = "index" if field == "index" else "number"
        wanted = {
            (each.conversation, getattr(each, column))
            for each in self._documents
            if each.kind == kind and each.about == about
        }
        return _found(model, field, wanted)

    def _calls_of(self, rows: Iterable[Message]) -> dict[Placed, Mapping[str, JsonValue]]:
        wanted = {(row.conversation, row.call_index) for row in rows if row.call_index is not None}
        found = _found(Message, "index", wanted)
        return {place: orjson.loads(bytes(row.body)) for place, row in found.items()}

    def _views_of(self, keys: Iterable[int]) -> dict[int, View]:
        heads = [self.heads[key] for key in keys if key in self.heads]
        rows = _found(Revision, "number", {(head.key, head.current_revision) for head in heads})
        views: dict[int, View] = {}
        for (key, _), row in rows.items():
            try:
                views[key] = view_of(row)
            except ContextError:  # damage, which a read of the conversation reports
                continue
        return views

    def _executions(self) -> dict[Placed, Execution]:
        """Returns the current executions; earlier ones have no page."""
        keys = {each.conversation for each in self._documents if each.execution is not None}
        keys |= {row.conversation for row in self.comments.values() if row.execution is not None}
        rows = Execution.objects.filter(conversation__in=keys).defer(*_EXECUTION) if keys else ()
        latest: dict[int, Execution] = {}
        for row in rows:
            if row.conversation not in latest or latest[row.conversation].number < row.number:
                latest[row.conversation] = row
        return {(row.conversation, row.number): row for row in latest.values()}

    def _versions(self) -> dict[tuple[int, int, int], Checkpoint]:
        wanted = [
            Q(conversation=each.conversation, execution=each.execution, version=each.version)
            for each in self._documents
            if each.kind == HitKind.REASON and each.about == "version"
        ]
        if not wanted:
            return {}
        rows = Checkpoint.objects.filter(reduce(or_, wanted))
        fields = ("conversation", "execution", "version", "reason", "author", "created_at")
        return {(row.conversation, row.execution, row.version): row for row in rows.only(*fields)}


def _found(model: type[Model], field: str, wanted: Iterable[Placed]) -> dict[Placed, Any]:
    places = [Q(**{"conversation": key, field: number}) for key, number in wanted]
    if not places:
        return {}
    rows = model._default_manager.filter(reduce(or_, places))
    return {(row.conversation, getattr(row, field)): row for row in rows}  # type: ignore[attr-defined]
