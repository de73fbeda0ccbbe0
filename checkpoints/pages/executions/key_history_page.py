"""The page of one key of the state: who wrote it, latest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import orjson
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from checkpoints.domain.state import ChangeKind
from checkpoints.pages import presenters
from checkpoints.pages.presenters import TimelineLine
from checkpoints.reading.key_history import KeyWrite, earlier_execution_of_key, writes_of_key
from checkpoints.store.executions import find_current, find_execution
from checkpoints.store.pinned_workflow import pinned_version
from conversations.models import Conversation
from conversations.store.conversation import find_head
from ctxadmin.http.endpoints.pagination import PageRequest, page_of
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import NotFound, ValidationFailed
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, show

_LINES: Final = 50
_LONGEST: Final = 1_000
_KINDS: Final = {
    "set": gettext_lazy("set"),
    "append": gettext_lazy("appended"),
    "same": gettext_lazy("set to an earlier value"),
    "gone": gettext_lazy("removed"),
}


@dataclass(frozen=True, slots=True)
class KeyWriteRow:
    """A write of a key: the version it came with, how it wrote, and what.

    ``value`` is the text, or the JSON of what is no text; None if it is too long for a list, which
    has its ``size`` in bytes instead, or stands at version ``as_in``.
    """

    line: TimelineLine
    how: Text
    value: str | None
    size: int
    as_in: int | None
    is_gone: bool


@dataclass(frozen=True, slots=True)
class KeyHistoryPage:
    """The writes of a key, latest first.

    ``former`` is the id of an execution that is no longer current, whose versions have no pages;
    ``earlier`` that of the one before it that wrote the key.
    """

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    key: str
    writes: Sequence[KeyWriteRow]
    next: str | None
    former: str
    earlier: str


@require_safe
@page
def key_history(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    head = find_head(actor.workspace, conversation_id)
    key = request.GET.get("key", "")
    if not key or len(key) > _LONGEST:
        raise ValidationFailed.at("?key", _("Name a key of the state."))
    current = find_current(head.key)
    if current is None:
        raise NotFound(_("This conversation has no execution."))
    asked_for = request.GET.get("execution", "")
    row = find_execution(head.key, asked_for) if asked_for else current
    earlier = earlier_execution_of_key(row, key)
    asked = PageRequest.of(request.GET)
    before = asked.after[0] if len(asked.after) == 1 and isinstance(asked.after[0], int) else None
    found = writes_of_key(row, key, before, _LINES + 1)
    if not found and before is None and earlier is None:
        raise NotFound(_("No version wrote this key."))
    part = page_of(found, PageRequest(limit=_LINES), lambda each: (each.checkpoint.version,))
    pinned = pinned_version(row)
    title = _("Who changed this")
    shown = KeyHistoryPage(
        title=title,
        crumbs=presenters.crumbs(head, Crumb(title)),
        head=head,
        key=key,
        writes=[
            _row(each, presenters.version_line(row, each.checkpoint, pinned)) for each in part.items
        ],
        next=part.next,
        former="" if row.number == current.number else row.public_id,
        earlier=earlier.public_id if earlier is not None and part.next is None else "",
    )
    return show(request, "checkpoints/key_history.html", shown)


def _row(write: KeyWrite, line: TimelineLine) -> KeyWriteRow:
    return KeyWriteRow(
        line=line,
        how=_KINDS.get(write.kind, write.kind),
        value=None if write.value is None else _text(write.value),
        size=write.size,
        as_in=write.as_in,
        is_gone=write.kind == ChangeKind.GONE,
    )


def _text(value: bytes) -> str:
    read = orjson.loads(value)
    return read if isinstance(read, str) else value.decode()
