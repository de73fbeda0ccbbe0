"""The pages that change a conversation: operations, rollback, restore, details, erasure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import orjson
from django.conf import settings
from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from conversations.api.schemas import metadata_bytes
from conversations.domain.revisions import Seen
from conversations.lifecycle import erasure
from conversations.lifecycle.copies import Copy, copies_of
from conversations.models import Conversation, Revision
from conversations.pages import presenters
from conversations.pages.batch_words import batch_words
from conversations.pages.changes.change_effects import effect_of
from conversations.pages.changes.forms import ConversationForm
from conversations.pages.changes.operation_page import MEANWHILE, address_near, seen_view
from conversations.pages.changes.single_submit import submit_once
from conversations.pages.redo import redo_own_url
from conversations.pages.undo import not_undone, seen_beyond_pins, shown_in, undo_url
from conversations.reading import queries
from conversations.reading.batch_changes import changes_of
from conversations.services import use_cases
from conversations.services.metadata import (
    EDITED,
    change_metadata,
    digests_of,
    field_digest,
    value_of,
)
from conversations.services.results import Applied
from conversations.store.conversation import find_head, find_revision, lineage, metadata_of_head
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ContextError, NotFound, VersionConflict
from ctxadmin.storage.database.binary_log import binary_log_days
from ctxadmin.ui.components import Crumb, Text, author_label, inside_quotes, join_list
from ctxadmin.ui.confirm_page import REASON, Confirm, Redirection, confirm_page
from ctxadmin.ui.pages import page, show

_MOST_UNDONE: Final = 3  # batches that are named before a rollback
_FIELDS: Final[Mapping[str, Text]] = {
    "title": gettext_lazy("Title"),
    "metadata": gettext_lazy("Metadata"),
    "tools": gettext_lazy("Tool description"),
}


@dataclass(frozen=True, slots=True)
class FormPage:
    """A form about the conversation itself.

    ``base`` are the digests of the values that it started with, ``theirs`` what someone else put
    into fields that this person changed too.
    """

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    form: ConversationForm
    base: Mapping[str, str]
    theirs: Sequence[tuple[Text, str]]


@dataclass(frozen=True, slots=True)
class ErasureDetails:
    """What is left of a conversation after its erasure.

    ``log_days`` is for how many days the binary log of the database still has what is
    erased, 0 without one, None if the server never removes it; ``keeps_words`` is whether its
    full text index keeps the words of removed texts; ``backup_days`` is for how many days
    backups have them, 0 if nobody said. ``copies`` keep what they copied from it.
    """

    log_days: int | None
    keeps_words: bool
    backup_days: int
    copies: Sequence[Copy]


@require_http_methods(["GET", "HEAD", "POST"])
@page
@submit_once
def rollback(request: HttpRequest, actor: Actor, conversation_id: str, batch: int) -> HttpResponse:
    def move(seen: Seen, reason: str | None, dry_run: bool) -> Applied:
        return use_cases.rollback(
            actor, conversation_id, batch, reason=reason, seen=seen, dry_run=dry_run
        )

    actor.require(Action.BATCH_ROLLBACK)
    head = find_head(actor.workspace, conversation_id)
    named = _opener_named(head, batch)
    title = _("Roll back to batch %(n)s") % {"n": named}
    is_current = batch == head.current_batch
    done = _("Rolled back to batch %(n)s.") % {"n": named}
    words = (title, _("Roll back"), done)
    return _move(request, actor, head, words, move, is_current=is_current)


@require_http_methods(["GET", "HEAD", "POST"])
@page
@submit_once
def restore(
    request: HttpRequest, actor: Actor, conversation_id: str, revision: int
) -> HttpResponse:
    def move(seen: Seen, reason: str | None, dry_run: bool) -> Applied:
        return use_cases.restore(
            actor, conversation_id, revision, reason=reason, seen=seen, dry_run=dry_run
        )

    actor.require(Action.REVISION_RESTORE)
    head = find_head(actor.workspace, conversation_id)
    named = _named(find_revision(head.key, revision, with_view=False))
    title = _("Restore batch %(n)s") % {"n": named}
    is_current = revision == head.current_revision
    done = _("Restored batch %(n)s.") % {"n": named}
    if undo := request.POST.get("undo"):
        again = undo == "redo"
        done = _("Redone.") if again else _("Undone. The messages are as before.")
    words = (title, _("Restore"), done)
    return _move(request, actor, head, words, move, is_current=is_current)


def _move(
    request: HttpRequest,
    actor: Actor,
    head: Conversation,
    words: tuple[str, str, str],
    move: Callable[[Seen, str | None, bool], Applied],
    *,
    is_current: bool,
) -> HttpResponse:
    """Shows a preview, then moves if nobody changed the view in between.

    ``words`` are the title, the button, and the success message. An undo asks nothing: if it is
    refused, the page that it came from says why.
    """
    title, submit, done = words
    back = reverse("conversations:detail", args=[head.public_id])

    def write(reason: str) -> Redirection:
        wanted = request.POST.get("undo", "")
        seen = seen_view(request, head)
        moved = move(seen_beyond_pins(head, actor, seen) if wanted else seen, reason or None, False)
        shown = shown_in(request)
        here = address_near(head, moved, shown) if wanted else back
        now = find_head(actor.workspace, head.public_id)
        if more := redo_own_url(now, actor, shown) if wanted == "redo" else "":
            return Redirection(here, done, undo=more, redoes=True)
        redoes = wanted not in ("", "redo")
        return Redirection(here, done, undo=undo_url(head, moved, shown), redoes=redoes)

    def question(refusal: ContextError | None) -> Confirm:
        moved = move(Seen(), None, True)
        edits = queries.edits_between(head.key, head.current_revision, moved.target)
        here = _opener_named(head, head.current_batch)
        text = _("This is already the current view, batch %(n)s.") % {"n": here}
        return Confirm(
            title=title,
            text=text if is_current else _what_is_undone(head, moved, actor),
            submit="" if is_current else submit,
            back=back,
            crumbs=presenters.crumbs(head, Crumb(title)),
            hidden={
                "expected_revision": str(head.current_revision),
                "expected_count": str(head.visible_count),
            },
            once=True,
            refusal=MEANWHILE if isinstance(refusal, VersionConflict) else None,
            template="conversations/move.html",
            details=effect_of(head, moved, edits, moves=True),
        )

    undoes = request.method == "POST" and "undo" in request.POST
    return confirm_page(
        request,
        question,
        write,
        entry=None if is_current else REASON,
        refused=partial(not_undone, request, actor, head.public_id) if undoes else None,
    )


def _what_is_undone(head: Conversation, moved: Applied, actor: Actor) -> str:
    """Says which batches a move takes back, whose they are, and how to return to them."""
    here = _opener_named(head, head.current_batch)
    back = _("Nothing is lost. To undo this, restore batch %(n)s.") % {"n": here}
    rows = lineage(head.key, head.current_revision)
    undone = [row for row in rows if row.number > moved.target and row.operation != "append"]
    if not undone or moved.target not in {row.number for row in rows}:
        return back
    named = undone[:_MOST_UNDONE]
    found = changes_of(named)
    words = [_batch_named(row, batch_words(row, found), actor) for row in named]
    more = len(undone) - len(named)
    listed = join_list([*words, "…"] if more else words)
    text = ngettext("Undoes batch %(words)s.", "Undoes batches %(words)s.", len(undone))
    return f"{text % {'words': listed}} {back}"


def _named(row: Revision) -> str:
    return presenters.batch_named(row.batch, batch_words(row, changes_of([row])))


def _opener_named(head: Conversation, batch: int) -> str:
    """Names the batch of a number on the current branch by what opened it."""
    rows = lineage(head.key, head.current_revision)
    opener = next((row for row in reversed(rows) if row.batch == batch), None)
    return str(batch) if opener is None else _named(opener)


def _batch_named(row: Revision, words: Text, actor: Actor) -> str:
    """Names a batch by what it did, and by its author if that is somebody else."""
    if row.author == actor.label:
        return presenters.batch_named(row.batch, words)
    values = {"batch": row.batch, "words": inside_quotes(words), "who": author_label(row.author)}
    return _("%(batch)s “%(words)s” by %(who)s") % values


@require_http_methods(["GET", "HEAD", "POST"])
@page
@submit_once
def edit(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Edits title, metadata and the description of the tools; writes only what was changed."""
    actor.require(Action.CONVERSATION_UPDATE)
    head = find_head(actor.workspace, conversation_id)
    if request.method != "POST":
        initial = {
            "title": head.title,
            "metadata": orjson.loads(metadata_of_head(head)),
            "tools": head.details.tools,
        }
        return _edit_page(request, head, ConversationForm(initial=initial), digests_of(head))
    form = ConversationForm(request.POST)
    base = {name: request.POST.get(f"base_{name}", "") for name in EDITED}
    if not form.is_valid():
        return _edit_page(request, head, form, base, status=422 if form.errors else 200)
    title, tools = form.model.title or "", form.model.tools or ""
    metadata = metadata_bytes(form.model.metadata or {})
    try:
        change_metadata(
            actor,
            conversation_id,
            title=title if field_digest(title) != base["title"] else None,
            metadata=metadata if field_digest(metadata) != base["metadata"] else None,
            tools=tools if field_digest(tools) != base["tools"] else None,
            seen=base,
        )
    except VersionConflict as conflict:
        now = find_head(actor.workspace, conversation_id)
        theirs = [(_FIELDS[name], _field_text(now, name)) for name in conflict.changed_keys]
        seen = digests_of(now)
        return _edit_page(request, now, form, seen, theirs=theirs, status=409)
    flash.success(request, _("Saved."))
    return redirect("conversations:detail", conversation_id)


def _edit_page(
    request: HttpRequest,
    head: Conversation,
    form: ConversationForm,
    base: Mapping[str, str],
    *,
    theirs: Sequence[tuple[Text, str]] = (),
    status: int = 200,
) -> HttpResponse:
    shown = FormPage(
        title=_("Edit the conversation"),
        crumbs=presenters.crumbs(head, Crumb(_("Edit"))),
        head=head,
        form=form,
        base=base,
        theirs=theirs,
    )
    return show(request, "conversations/edit.html", shown, status=status)


def _field_text(head: Conversation, name: str) -> str:
    """Returns the value of an edited field as text."""
    value = value_of(head, name)
    return value if isinstance(value, str) else bytes(value).decode()


@require_http_methods(["GET", "HEAD", "POST"])
@page
def erase(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    actor.require(Action.CONVERSATION_ERASE)
    try:
        head = find_head(actor.workspace, conversation_id)
    except NotFound:
        if request.method != "POST":
            raise
        flash.info(
            request,
            _("There is no conversation %(id)s in this workspace.") % {"id": conversation_id},
        )
        return redirect("conversations:list")

    def write(reason: str) -> Redirection:
        erasure.erase(actor, conversation_id, reason=reason or None)
        done = _("Conversation %(id)s erased.") % {"id": conversation_id}
        return Redirection(reverse("conversations:list"), done)

    def question(_refusal: ContextError | None) -> Confirm:
        return Confirm(
            title=_("Erase the conversation %(id)s") % {"id": conversation_id},
            text=_(
                "Everything in it is removed for good: messages, batches, executions, checkpoints, "
                "comments, unapplied edits, reasons, stored responses, and the live copy in Redis."
            ),
            submit=_("Erase"),
            back=reverse("conversations:detail", args=[conversation_id]),
            crumbs=presenters.crumbs(head, Crumb(_("Erase"))),
            danger=True,
            once=True,
            template="conversations/erase.html",
            details=ErasureDetails(
                log_days=binary_log_days(),
                keeps_words=erasure.keeps_words(),
                backup_days=settings.BACKUP_DAYS,
                copies=copies_of(head),
            ),
        )

    # In several lines, so that Enter in it erases nothing.
    entry = replace(REASON, help=_("Stays in the audit."), one_line=False)
    return confirm_page(request, question, write, entry=entry)
