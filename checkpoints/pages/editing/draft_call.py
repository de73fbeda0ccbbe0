"""The endpoint that saves a draft while a person types."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods
from pydantic import JsonValue

from checkpoints.editing import draft_store, form_changes, protocol
from checkpoints.editing.draft import (
    Aside,
    Beside,
    Drop,
    Operation,
    Overtaken,
    Revert,
    Set,
    Type,
    name_at,
)
from checkpoints.editing.entries import EntryOf, reader
from checkpoints.editing.protocol import Patch, Read, Typed, Untyped, Whole
from checkpoints.editing.state_form import KINDS, Row, read_json, row_of
from checkpoints.pages.editing.edit_request import Edit
from checkpoints.pages.editing.plain_form import other_tab_message
from checkpoints.reading import queries
from checkpoints.reading.state_values import reducers_for, values_of
from conversations.store.conversation import find_head
from ctxadmin.http.problems import status_of
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import ContextError, InvalidState
from ctxadmin.lib.json_bytes import loads_strict
from ctxadmin.ui.pages import page
from ctxadmin.ui.sentences import translated

_VALUE: Final = "value"


@require_http_methods(["PATCH"])
@page
def draft(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Saves the changes of a page; ``checkpoints/editing/protocol.py`` has the protocol."""
    try:
        actor.require(Action.SNAPSHOT_UPDATE)
        head = find_head(actor.workspace, conversation_id)
        now = queries.find_moment(actor, conversation_id)
        sent = parse(Patch, loads_strict(request.body))
        task = Edit.of(request, actor, head, now, sent.execution, sent.version)
        if not (task.same_execution or task.of_former):
            raise InvalidState(_("Another execution has started."))
        return _answer(task, _patched(task, sent))
    except ContextError as error:
        return JsonResponse({"detail": translated(error.detail)}, status=status_of(error))


def _answer(task: Edit, found: draft_store.KeptDraft | Overtaken) -> HttpResponse:
    if isinstance(found, Overtaken):
        words = other_tab_message([each.name for each in found.changed.values()])
        return JsonResponse(protocol.overtaken_answer(found, words), status=409)
    message = other_tab_message(found.over)
    if task.of_former:
        message = _("Saved for you, but it cannot be applied: another execution has started.")
    return JsonResponse(protocol.stored_answer(found.draft.seq, found.draft.count, message))


def _patched(task: Edit, sent: Patch) -> draft_store.KeptDraft | Overtaken:
    typed = [each for each in sent.operations if isinstance(each, Typed | Untyped)]
    names = {name_at(each.place) for each in typed}
    base = values_of(task.base, names)
    entry_of = reader(base, reducers_for(task.base.row))
    operations: list[Operation] = []
    for each in sent.operations:
        operations += _operations(task, sent, each, base, entry_of)
    return draft_store.patch(
        task.actor,
        task.base,
        operations,
        sent.seen_seq,
        task.moment_at,
        for_copying=task.of_former,
        leaves=sent.leaves,
    )


def _operations(
    task: Edit,
    sent: Patch,
    operation: Typed | Untyped | Whole | Read,
    base: Mapping[str, JsonValue],
    entry_of: EntryOf,
) -> Sequence[Operation]:
    match operation:
        case Untyped(op="revert"):
            return [Revert(_place_of_change(operation, base), operation.mine)]
        case Untyped():
            return [Aside(_place_of_change(operation, base))]
        case Read():
            return [Drop(operation.mark)]
        case Whole():
            whole = draft_store.patch_of_whole(
                task.base, operation.text, sent.given, operation.mark
            )
            kept = draft_store.find(task.actor, task.base.row, task.version)
            made = form_changes.operations_of(whole, kept)[0]
            return [
                Type(each.text, operation.mine) if isinstance(each, Type) else each for each in made
            ]
    entry = entry_of(_row(operation, base))
    place = _place_of_change(operation, base)
    if operation.op == "beside":
        return [Beside(place, entry, operation.mine)]
    return [Set(place, entry, operation.mine) if entry.mark else Revert(place, operation.mine)]


def _place_of_change(operation: Typed | Untyped, base: Mapping[str, JsonValue]) -> str:
    """Returns the place of a change; a whole state does not say which of its keys are new."""
    name = name_at(operation.place)
    return f"1:{name}" if operation.place[:2] == "0:" and name not in base else operation.place


def _row(typed: Typed, base: Mapping[str, JsonValue]) -> Row:
    name, old = name_at(typed.place), typed.place[:2] == "0:"
    text = typed.text.replace("\r\n", "\n").replace("\r", "\n")
    if typed.kind != _VALUE:
        kind = typed.kind if typed.kind in KINDS else "text"
        return Row(name, kind, text, old, typed.gone)
    if typed.gone:
        return replace(row_of(name, base.get(name)), gone=True)
    try:
        return row_of(name, read_json(text), old=name in base)
    except ContextError:
        return Row(name, "json", text, old=name in base)
