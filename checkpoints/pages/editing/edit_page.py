"""The page with the form of a state, or with the state as one JSON text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import orjson
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from checkpoints.domain.status import Status
from checkpoints.editing import draft_store, key_sections, state_form
from checkpoints.editing.draft import StateDraft, WholeText, name_at
from checkpoints.editing.key_sections import KeySection
from checkpoints.editing.state_form import Changes, Row
from checkpoints.pages import presenters
from checkpoints.pages.decisions.queue_step import QueueStep
from checkpoints.pages.editing import form_rows, plain_form
from checkpoints.pages.editing.draft_view import DraftView, draft_view_of
from checkpoints.pages.editing.edit_request import Edit
from checkpoints.pages.editing.row_conflicts import with_theirs
from checkpoints.pages.editing.text_merge import MergedText, merge_text, unmerged_text
from checkpoints.pages.presenters import NamedNode, PositionView
from checkpoints.pages.state import state_view
from checkpoints.pages.state.state_view import KeyView
from checkpoints.reading.proposals import find_proposal
from checkpoints.reading.state_values import all_values, heads_by_name
from conversations.models import Conversation
from ctxadmin.lib.errors import InvalidState
from ctxadmin.ui.components import Crumb, Text

_MOST_KEYS: Final = 100
_MOST_RAW: Final = 12 * 1024**2  # the largest state, and room for what is typed
_MOST_IN_PAGE: Final = 512 * 1024  # a text area with more takes a browser minutes


@dataclass(frozen=True, slots=True)
class EditPage:
    """The form of a state at ``version``: rows by key, or ``raw`` as one JSON object.

    A script fetches a ``raw`` that is too large for a text area from ``raw_url``. ``left_out`` are
    keys whose values are too large for a form, ``opaque`` those that only an engine changes;
    of ``all_keys`` that match, ``hidden_keys`` are not shown; ``filters`` is
    True if they can be filtered, ``sections`` are those of all keys. With ``opens_review`` the
    reader came to edit what is proposed. ``pending`` is the draft,
    changed ``seq`` times; ``given`` are its marks, ``text_given`` that of a ``raw`` that cannot be
    parsed yet; ``typed_at`` says by place at which ``seq`` it was typed. ``former`` is an earlier
    execution that also has a draft. ``raw`` contains what others applied up to version ``up_to``:
    ``took`` keys; ``meets`` names the keys it does not contain. ``step`` is the queue that the
    reader works through. ``raw_at`` is the key at which ``raw`` is shown, "" for its beginning.
    """

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    execution: str
    version: int
    node: NamedNode | None
    rows: Sequence[Row]
    kinds: Sequence[str]
    raw: str | None
    raw_url: str
    raw_lines: int
    may_raw: bool
    problem: str
    left_out: Sequence[KeyView]
    opaque: Sequence[KeyView]
    all_keys: int
    hidden_keys: int
    sections: Sequence[KeySection]
    filters: bool
    text: str
    opens_review: bool
    seq: int
    given: str
    text_given: str
    typed_at: str
    pending: DraftView | None
    up_to: int
    took: int
    meets: str
    step: QueueStep
    position: PositionView
    adds: bool
    raw_at: str
    former: Sequence[int] = ()

    @property
    def raw_first(self) -> str:
        """Returns the key at which its text begins: the wanted one, if it is too large here."""
        names = [key.name for key in self.left_out]
        return self.text if self.text in names else next(iter(names), "")

    @property
    def first_wrong(self) -> int | None:
        """Returns the number of the first row that says what is wrong with it."""
        return next((place for place, row in enumerate(self.rows) if row.problem), None)


def edit_page(
    task: Edit, *, text: str = "", raw: bool = False, raw_at: str = "", adds: bool = False
) -> EditPage:
    """Returns the form with the draft, and all else as it is now.

    With ``adds`` the row for a new key is open. It remains an edit of ``task.base`` while the two
    conflict, which the summary resolves.
    """
    head, base, row, draft = task.head, task.base, task.base.row, task.draft
    if row is None:
        raise InvalidState(_("This conversation has no execution."), status=Status.IDLE)
    proposed = _proposed_keys(task)
    view = state_view.state_view(base, text=text, most=_MOST_KEYS, first=proposed)
    may_raw = row.state_bytes <= _MOST_RAW
    is_large = row.state_bytes > _MOST_IN_PAGE
    whole, unread = None, text_of(draft, task.request) if raw else None
    taken = merged_text_of(task)
    given = unread.given if unread else _marks_shown(task, raw=raw)
    if raw and may_raw:
        text_now = unread.text if unread else raw_text(task, taken)
        whole = "" if is_large else text_now
    raw_url = f"{reverse('checkpoints:edit', args=[head.public_id])}?raw=text"
    raw_url += f"&text={unread.mark}" if unread else "&text="
    shown = _visible_part(taken, text)
    sections = key_sections.place_keys(view.names, proposed, _("Other keys"))
    rows = form_rows.of_state(base, view.keys, shown, draft, text, sections)
    rows = _with_their_versions(task, rows, shown)
    if not raw:
        rows = with_theirs(task, rows, taken.meets)
    left_out = [key for key in view.keys if not key.read]
    return EditPage(
        title=_("Edit the state"),
        crumbs=presenters.crumbs(head, Crumb(_("Edit the state"))),
        head=head,
        execution=row.public_id,
        version=base.version,
        node=presenters.named_node(base.pinned, base.node_id),
        rows=rows,
        kinds=state_form.KINDS,
        raw=whole,
        raw_url=raw_url if is_large else "",
        raw_lines=min(max((whole or "").count("\n") + 2, 12), 40),
        may_raw=may_raw,
        problem="" if not raw or may_raw else str(_("This state is too large for one text area.")),
        left_out=left_out,
        opaque=[key for key in view.keys if key.opaque is not None],
        all_keys=view.total,
        hidden_keys=view.total - len(view.keys),
        sections=key_sections.sections_in_order(sections, {key.name for key in view.keys}),
        filters=bool(text) or view.total >= key_sections.FROM,
        text=text,
        opens_review=text in proposed,
        seq=draft.seq,
        given=orjson.dumps({**taken.marks, **given}).decode(),
        text_given=unread.mark if unread else "",
        typed_at=orjson.dumps({place: each.at for place, each in draft.entries.items()}).decode(),
        pending=draft_view_of(draft, base, task.now),
        up_to=taken.version,
        took=len(taken.changes),
        meets=", ".join(plain_form.shorten_name(name) for name in taken.meets),
        step=QueueStep.of(task.request),
        position=presenters.position_view(task.now),
        adds=adds or not (rows[:-1] or left_out),
        raw_at=raw_at,
    )


def merged_text_of(task: Edit) -> MergedText:
    """Returns what others applied since the version that the draft is held at."""
    is_behind = task.now.version != task.base.version and task.now.status is Status.PAUSED
    return merge_text(task) if is_behind else unmerged_text(task.base)


def _marks_shown(task: Edit, *, raw: bool) -> dict[str, str]:
    """Returns the marks of what the page shows of the draft.

    A whole state shows what can be parsed.
    """
    marks = draft_store.marks_of(task.draft).items()
    if not raw:
        return dict(marks)
    return {place: mark for place, mark in marks if name_at(place) in task.changes}


def _visible_part(taken: MergedText, text: str) -> Changes:
    """Returns what others applied, as far as the form shows it."""
    return {
        name: value
        for name, value in taken.changes.items()
        if state_view.is_found(name, text)
        and len(state_form.format_json(value)) <= state_view.MOST_VALUE_BYTES
    }


def _with_their_versions(task: Edit, rows: list[Row], taken: Changes) -> list[Row]:
    """Returns the rows with the versions that wrote what others applied, where they show that."""
    held = heads_by_name(task.now) if taken else {}
    return [
        replace(row, version=held[row.name].version)
        if row.name in taken and row.name in held
        else row
        for row in rows
    ]


def raw_text(task: Edit, taken: MergedText) -> str:
    """Returns the whole state as JSON with the draft and what others applied, ordered as the form.

    Only keys of the state are ordered: what is inside their values stays as it was written.
    """
    there = all_values(task.base)
    state = state_form.with_changes(there, {**taken.changes, **task.changes})
    names = key_sections.in_form_order(state, there, _proposed_keys(task), _("Other keys"))
    return state_form.format_json({name: state[name] for name in names})


def _proposed_keys(task: Edit) -> set[str]:
    return {name for each in find_proposal(task.now).sources for name in each.keys}


def text_of(draft: StateDraft, request: HttpRequest) -> WholeText | None:
    """Returns the requested unparsable whole state, else the one typed last."""
    wanted = request.GET.get("text")
    if wanted == "" or not draft.texts:
        return None
    found = [each for each in draft.texts if each.mark == wanted]
    return found[0] if found else draft.texts[-1]
