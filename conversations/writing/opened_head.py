"""A conversation whose head is taken: its current revision, read when it is asked for."""

from typing import Final

from conversations.domain.view import View
from conversations.models import Conversation, Revision
from conversations.store.conversation import find_revision, view_of
from conversations.store.damage import ALTERED, damaged
from conversations.store.sql_log import SqlLog
from conversations.writing.cache import WRITE_CACHE, CacheKind
from ctxadmin.audit.record import AuditMark

REVISION: Final = CacheKind[Revision]("revision")


class OpenedHead:
    """A head with its current revision, of which the process may remember the row.

    ``known`` is what the process remembers of the conversation's rows; see ``write_cache``.
    """

    def __init__(self, head: Conversation) -> None:
        self.head = head
        self.known = WRITE_CACHE.take(head.key, AuditMark(head.change_seq, head.audit_hash))
        self._current: Revision | None = None
        self._remembered: int | None = None  # the number of a row that was not read
        self._whole: int | None = None  # the number of a row that was read whole, or made here

    @property
    def current(self) -> Revision:
        """Returns the row of the current revision; its view is read on demand."""
        if self._current is None or self._current.number != self.head.current_revision:
            known = self._known_revision()
            self._remembered = None if known is None else known.number
            if known is None:
                number = self.head.current_revision
                known = find_revision(self.head.key, number, with_view=False)
            self._require_fit(known)
            self._current = known
        return self._current

    @property
    def whole(self) -> Revision:
        """Returns ``current`` as it is stored, its view included, for steps that build on the
        view.
        """
        number = self.head.current_revision
        if self._whole != number:
            row = find_revision(self.head.key, number)
            self._require_fit(row)
            self._current, self._whole, self._remembered = row, number, None
        return self.current

    def view(self) -> View:
        """Returns the view of the current revision."""
        return view_of(self.whole)

    def _require_fit(self, row: Revision) -> None:
        """Raises Damaged unless the head counts what its current revision has."""
        head = self.head
        expected = (head.current_batch, head.visible_count, head.visible_tokens)
        fits = expected == (row.batch, row.visible_count, row.tokens)
        if not fits or row.log_length > head.log_count or row.number >= head.revision_count:
            raise damaged(head.key, "conversation", head.public_id, ALTERED)

    def _known_revision(self) -> Revision | None:
        """Returns the current revision, if it is cached."""
        known = self.known.get(REVISION)
        is_current = known is not None and known.number == self.head.current_revision
        return known if is_current else None

    @property
    def log(self) -> SqlLog:
        """Returns the log as seen from the current revision."""
        head = self.head
        return SqlLog(head, head.log_count, head.current_revision, newest=True)
