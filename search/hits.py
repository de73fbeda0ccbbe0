"""Hits of a search, each made of what is written at its place now.

What is shown is never older than the truth: a text that is gone, is damaged, or does not have the
words any more, is left out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import orjson

from checkpoints.store.state import StateRows
from conversations.models import Conversation
from conversations.reading.message_search import searched_text
from conversations.store.message_rows import check_rows
from ctxadmin.lib.errors import ContextError
from search.domain.passages import Passage, has_tool, passage_of
from search.domain.query import HitKind, Query
from search.models import SearchDocument
from search.texts import state_text, title_of, tools_of
from search.truth import Truth

_MOST_READ: Final = 2_000_000  # characters of texts that one page looks through


@dataclass(frozen=True, slots=True)
class Hit:
    """One text with what was searched for, at its place.

    ``visible`` is of a message in the current view. ``execution`` is the id of the current one.
    ``about`` says what a reason or a comment belongs to: ``batch``, ``move``, ``version``,
    ``message`` or ``key``; ``number`` is that of the revision or the comment. ``head`` is None for
    a workflow.
    """

    kind: HitKind
    at: datetime
    passage: Passage
    conversation: str = ""
    title: str = ""
    status: str = ""
    workflow: str = ""
    role: str = ""
    node: str = ""
    author: str = ""
    index: int | None = None
    visible: bool | None = None
    execution: str = ""
    version: int | None = None
    key: str = ""
    about: str = ""
    batch: int | None = None
    number: int | None = None
    head: Conversation | None = None


_Made = Hit | None


class Hits:
    """Makes the hits of some documents for a query."""

    def __init__(self, documents: Sequence[SearchDocument], query: Query) -> None:
        self._documents = documents
        self._query = query
        self._truth = Truth(documents)
        self._read = 0
        self._makers: dict[str, Callable[[Conversation, SearchDocument], _Made]] = {
            HitKind.CONVERSATION: self._title,
            HitKind.MESSAGE: self._message,
            HitKind.STATE: self._state,
            HitKind.REASON: self._reason,
            HitKind.COMMENT: self._comment,
        }

    def shown(self) -> list[tuple[SearchDocument, Hit | None]]:
        """Returns the hit of each document; None for one that is left out.

        It ends early after very long texts: the rest is for the next page.
        """
        found: list[tuple[SearchDocument, Hit | None]] = []
        for document in self._documents:
            if self._read > _MOST_READ:
                break
            found.append((document, self._hit(document)))
        return found

    def _hit(self, document: SearchDocument) -> _Made:
        head = self._truth.heads.get(document.conversation)
        if head is None or head.workspace != document.workspace or not head.public_id:
            return None
        try:
            return self._makers[document.kind](head, document)
        except ContextError:  # damage: it is logged, and a read of the thing itself says so
            return None

    def _made(
        self, head: Conversation, kind: HitKind, at: datetime, text: str | None, **more: Any
    ) -> _Made:
        if not text:
            return None
        self._read += len(text)
        passage = passage_of(text, self._query)
        if passage is None:
            return None
        return Hit(
            kind=kind,
            at=at,
            passage=passage,
            conversation=head.public_id,
            title=head.title,
            status=head.status,
            workflow=head.workflow,
            head=head,
            **more,
        )

    def _title(self, head: Conversation, document: SearchDocument) -> _Made:
        title = title_of(head)
        return self._made(head, HitKind.CONVERSATION, title.at, title.text)

    def _message(self, head: Conversation, document: SearchDocument) -> _Made:
        row = self._truth.messages.get((head.key, document.index or 0))
        if row is None or row.index >= head.log_count:
            return None
        (row,) = check_rows([row])
        body = orjson.loads(bytes(row.body))
        tool = self._query.tool
        if tool and not has_tool(tools_of(body, self._truth.call_of(row)), tool):
            return None
        return self._made(
            head,
            HitKind.MESSAGE,
            row.created_at,
            searched_text(body) or " ",
            role=row.role,
            node=row.node_id,
            author=row.author,
            index=row.index,
            visible=self._truth.is_visible(head.key, row.index),
        )

    def _state(self, head: Conversation, document: SearchDocument) -> _Made:
        row = self._truth.executions.get((head.key, document.execution or 0))
        if row is None:
            return None
        rows = StateRows(head.key, row.number)
        held = rows.current_heads([document.key]).get(document.key)
        if held is None or held.head is None:
            return None
        return self._made(
            head,
            HitKind.STATE,
            row.changed_at,
            state_text(rows, held),
            execution=row.public_id,
            version=held.version,
            key=held.name,
        )

    def _reason(self, head: Conversation, document: SearchDocument) -> _Made:
        if document.about == "version":
            return self._reason_of_version(head, document)
        if document.about == "move":
            row = self._truth.moves.get((head.key, document.number or 0))
            more = {"about": "move", "number": row and row.to_revision}
        else:
            row = self._truth.revisions.get((head.key, document.number or 0))
            more = {"about": "batch", "number": document.number, "batch": row and row.batch}
        if row is None:
            return None
        return self._made(
            head, HitKind.REASON, row.created_at, row.reason, author=row.author, **more
        )

    def _reason_of_version(self, head: Conversation, document: SearchDocument) -> _Made:
        execution, version = document.execution or 0, document.version or 0
        row = self._truth.versions.get((head.key, execution, version))
        current = self._truth.executions.get((head.key, execution))
        if row is None or current is None:
            return None
        return self._made(
            head,
            HitKind.REASON,
            row.created_at,
            row.reason,
            about="version",
            author=row.author,
            execution=current.public_id,
            version=row.version,
        )

    def _comment(self, head: Conversation, document: SearchDocument) -> _Made:
        row = self._truth.comments.get((head.key, document.number or 0))
        if row is None:
            return None
        current = self._truth.executions.get((head.key, row.execution))
        about = "message" if row.message is not None else "key" if row.key_name else "version"
        return self._made(
            head,
            HitKind.COMMENT,
            row.created_at,
            row.text,
            about=about,
            author=row.author,
            index=row.message,
            execution=current.public_id if current else "",
            version=row.version if current else None,
            key=row.key_name,
            number=row.number,
        )
