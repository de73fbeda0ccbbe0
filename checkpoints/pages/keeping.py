"""What a page of a state sends while somebody types: kept, and answered."""

from collections.abc import Sequence
from urllib.parse import unquote

from django.http import HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from checkpoints import queries
from checkpoints.moments import Moment
from checkpoints.pages import adding_up, pending, state_form, values
from checkpoints.pages.adding_up import Said, WholeText
from checkpoints.pages.edits import Edit
from checkpoints.pages.pending import Kept
from checkpoints.pages.state_form import Read
from ctxadmin.lib.errors import ContextError
from ctxadmin.web.problems import status_of


def answer(task: Edit) -> HttpResponse:
    """What a script sends while a person types; it answers how often it was kept."""
    if not task.same_execution:
        return JsonResponse({"detail": _("Another execution was started.")}, status=409)
    try:
        kept = keep(task)
    except ContextError as error:
        return JsonResponse({"detail": error.detail}, status=status_of(error))
    over = {"over": _over_words(kept.over)} if kept.over else {}
    known = {"seq": kept.typed.seq, "count": kept.typed.count, "given": kept.given}
    return JsonResponse({**known, **over, "text": kept.text, "moved": kept.moved})


def _over_words(names: Sequence[str]) -> str:
    text = ngettext(
        "Another page of yours says something else of the key %(keys)s; both are kept.",
        "Another page of yours says something else of the keys %(keys)s; both are kept.",
        len(names),
    )
    return text % {"keys": ", ".join(map(short, names))}


def keep(task: Edit) -> Kept:
    """Keep what the form says; a JSON text that cannot be read is kept as a text."""
    says = said(task)

    def moment_at(version: int) -> Moment:
        return queries.find_moment(task.actor, task.head.public_id, version)

    return pending.keep(task.actor, task.base, says, task.seq, moment_at)


def said(task: Edit) -> Said:
    sent = task.request.POST
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
    sent, row = task.request.POST, task.now.row
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
