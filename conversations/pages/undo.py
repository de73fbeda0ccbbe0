"""Addresses at which a change of a view, or of pins, is undone by POST."""

from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from typing import Final
from urllib.parse import urlencode

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from conversations.domain.revisions import Seen
from conversations.models import Conversation, Revision
from conversations.pages.batch_words import pin_of, words_of
from conversations.pages.pin_changes import LATEST, last_pin_changes
from conversations.reading.queries import newest_revisions
from conversations.services.results import Applied
from conversations.store.conversation import find_head, has_grown, lineage
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import ContextError, VersionConflict
from ctxadmin.ui.components import Text, author_label
from ctxadmin.ui.form_idempotency import RefusedRedirect
from ctxadmin.ui.sentences import translated

_SHOWN: Final = "shown"
_VIEW: Final = ("view", "hidden", "role", "tool", "node", "author")
_LONGEST: Final = 200


def undo_url(head: Conversation, applied: Applied, shown: str = "") -> str:
    """Returns the address at which a change of ``head`` is undone by POST.

    It names the result of the change, so that an undo never undoes what came after it, and the
    view to come back to (``shown_in``).
    """
    revision = head.current_revision
    return restore_url(head, revision, applied.target, applied.visible_count, shown)


def undo_pins_url(
    head: Conversation, indices: Iterable[int], shown: str = "", *, pinned: bool
) -> str:
    """Returns the address at which messages that were ``pinned`` or unpinned are so no longer."""
    path = reverse("conversations:undo-pins", args=[head.public_id])
    query = {
        "do": "unpin" if pinned else "pin",
        "message": [str(index) for index in sorted(indices)],
        "expected_revision": str(head.current_revision),
        "expected_count": str(head.visible_count),
    }
    return f"{path}?{urlencode(query | ({_SHOWN: shown} if shown else {}), doseq=True)}"


def undo_own_url(
    head: Conversation,
    rows: Sequence[Revision],
    latest: Sequence[Revision],
    actor: Actor,
    shown: str = "",
) -> str:
    """Returns the address at which the actor's own last change is undone by POST.

    ``rows`` are the current revision and its ancestors, ``latest`` the latest of all, oldest first.
    "" if another changed the view last, or if
    messages were appended to it since. Pins do not change it: what the actor pinned last is undone
    by unpinning it, and what others pinned is left as it is. ``shown`` is the view to come back to.
    """
    pins, last = last_pin_changes(rows, latest)
    own = [change for change in pins if change.author == actor.label]
    is_own = last.author == actor.label and last.operation not in ("start", "append")
    if not own and (last.parent is None or not is_own):
        return ""
    oldest = own[-1].rows[-1].number if own else last.number
    if has_grown(head.key, [row.number for row in rows if row.number >= oldest]):
        return ""
    if own:
        return undo_pins_url(head, own[-1].messages, shown, pinned=own[-1].pinned)
    return restore_url(head, last.parent or 0, rows[0].number, head.visible_count, shown)


def why_no_undo(
    rows: Sequence[Revision],
    latest: Sequence[Revision],
    actor: Actor,
    words: Callable[[Revision], Text] = words_of,
) -> str:
    """Says whose the last change is if it is not the actor's own to undo.

    ``rows`` are the current revision and its ancestors, ``latest`` the latest of all, oldest first;
    ``words`` say what opened a revision.
    """
    pins, last = last_pin_changes(rows, latest)
    is_own_pin = any(change.author == actor.label for change in pins)
    if last.parent is None and not is_own_pin:
        return _("There is no change to undo.")
    if last.author == actor.label or is_own_pin:
        return _("Messages have come since your last change. Roll back under Batches.")
    text = _("The last change is by %(who)s: %(words)s. Roll back under Batches to undo it.")
    return text % {"who": author_label(last.author), "words": words(last)}


def seen_beyond_pins(head: Conversation, actor: Actor, seen: Seen) -> Seen:
    """Returns the view that the actor saw; the current one if others only pinned messages since.

    Their pins stay, whatever the actor undoes.
    """
    rows = lineage(head.key, head.current_revision)
    since = list(takewhile(lambda row: row.number != seen.revision, rows))
    are_pins = all(pin_of(row) and row.author != actor.label for row in since)
    if not are_pins or len(since) == len(rows) or head.visible_count != seen.count:
        return seen
    return Seen(head.current_revision, head.visible_count)


def not_undone(
    request: HttpRequest, actor: Actor, conversation_id: str, error: ContextError
) -> HttpResponse:
    """Leads back to the view of an undo that was refused, and says whose change came first."""
    head = find_head(actor.workspace, conversation_id)
    rows = lineage(head.key, head.current_revision)
    latest = newest_revisions(head, LATEST)
    if not isinstance(error, VersionConflict):
        text = translated(error.detail)
    elif undo_own_url(head, rows, latest, actor):
        text = _("You have changed the view since, so nothing was undone.")
    else:
        text = why_no_undo(rows, latest, actor)
    flash.info(request, text)
    here = reverse("conversations:detail", args=[conversation_id])
    return RefusedRedirect(f"{here}?{shown_in(request)}".rstrip("?"))


def shown_in(request: HttpRequest) -> str:
    """Returns the query of the view from which something is undone; "" for the current one."""
    given = QueryDict(request.GET.get(_SHOWN, ""))
    return urlencode([(name, value[:_LONGEST]) for name in _VIEW if (value := given.get(name))])


def restore_url(head: Conversation, revision: int, seen: int, count: int, shown: str) -> str:
    """Returns the address at which a revision is restored, as long as the view is as seen."""
    path = reverse("conversations:restore", args=[head.public_id, revision])
    query = {"expected_revision": str(seen), "expected_count": str(count)}
    return f"{path}?{urlencode(query | ({_SHOWN: shown} if shown else {}))}"
