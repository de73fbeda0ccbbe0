"""What a page of a state sends while somebody types: kept, and answered."""

from collections.abc import Sequence
from urllib.parse import unquote

from django.http import HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from checkpoints.pages import adding_up, pending, state_form, values
from checkpoints.pages.adding_up import Said, WholeText
from checkpoints.pages.edits import Edit
from checkpoints.pages.pending import Kept
from checkpoints.pages.state_form import Read
from ctxadmin.http.problems import status_of
from ctxadmin.lib.errors import ContextError


def answer(task: Edit) -> HttpResponse:
    """What a script sends while a person types; it answers how often it was kept."""
    if not (task.same_execution or task.of_former):
        return _refused_elsewhere()
    try:
        kept = keep(task)
    except ContextError as error:
        return JsonResponse({"detail": error.detail}, status=status_of(error))
    told = {"over": _over_words(kept.over)} if kept.over else {}
    if task.of_former:
        told = {
            "over": _("Saved for you, but it cannot be applied: another execution has started.")
        }
    known = {"seq": kept.typed.seq, "count": kept.typed.count, "given": kept.given}
    return JsonResponse({**known, **told, "text": kept.text, "moved": kept.moved})


def answer_beside(task: Edit) -> HttpResponse:
    """Keep what a page says of keys beside what another page of the person put in its place.

    A script sends it that sees this; nothing that was typed is gone before it is discarded.
    """
    if not (task.same_execution or task.of_former):
        return _refused_elsewhere()
    wanted = set(task.request.POST.getlist("beside"))
    if task.request.POST.get("mode") == state_form.RAW:
        rows = pending.said_by_changes(task.base, read_whole(task).changes).rows
    else:
        rows = adding_up.places_of(task.sent_rows)
    found = [row for place, row in rows.items() if row is not None and place in wanted]
    try:
        seq = pending.put_beside(task.actor, task.base, found, task.moment_at)
    except ContextError as error:
        return JsonResponse({"detail": error.detail}, status=status_of(error))
    return JsonResponse({"seq": seq})


def _refused_elsewhere() -> HttpResponse:
    return JsonResponse({"detail": _("Another execution has started.")}, status=409)


def _over_words(names: Sequence[str]) -> str:
    text = ngettext(
        "Another tab of yours has a different value for the key %(keys)s. Both are kept.",
        "Another tab of yours has different values for the keys %(keys)s. Both are kept.",
        len(names),
    )
    return text % {"keys": ", ".join(map(short, names))}


def keep(task: Edit, says: Said | None = None) -> Kept:
    """Keep what the page says; a JSON text that cannot be read is kept as a text."""
    return pending.keep(
        task.actor,
        task.base,
        says or said(task),
        task.seq,
        task.moment_at,
        for_copying=task.of_former,
    )


def said(task: Edit) -> Said:
    """What the page says, be it a form or a summary with its changes."""
    sent = task.request.POST
    if "changes" in sent:
        return pending.said_by_changes(task.base, task.changes)
    given = adding_up.read_given(sent.get("given", ""))
    if sent.get("mode") != state_form.RAW:
        return pending.said_by_rows(task.base, task.sent_rows, given)
    read, text_given = read_whole(task), sent.get("text-given", "")
    if read.valid:
        return pending.said_by_whole(task.base, read.changes, given, text_given)
    return Said({}, given, WholeText(read.raw, given), text_given)


def read_whole(task: Edit) -> Read:
    """What a whole state as a text says."""
    text = task.request.POST.get("raw", "")
    reducers = values.reducers_for(task.base.row)
    return state_form.read_raw(text, values.all_values(task.base), reducers)


def taken_back(task: Edit) -> bool:
    """True if one of the buttons beside what is pending was pressed."""
    sent, row = task.request.POST, task.base.row
    if row is not None and "take-back" in sent:
        pending.take_back(task.actor, row, [unquote(sent["take-back"])])
    elif "drop" in sent:
        pending.drop(task.actor, task.base, sent["drop"])
    elif "use" in sent:
        pending.use(task.actor, task.base, sent["use"])
    else:
        return False
    return True


def short(name: str) -> str:
    """A name for a sentence."""
    return f"{name[:40]}…" if len(name) > 40 else name or _("the new key")
