"""The form of a state without a script, and the buttons beside pending changes."""

from collections.abc import Sequence
from urllib.parse import unquote

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from checkpoints.editing import draft_store, form_changes, state_form
from checkpoints.editing.draft import Drop, Operation, Revert, Use
from checkpoints.editing.draft_store import KeptDraft
from checkpoints.editing.form_changes import DraftPatch
from checkpoints.pages.editing.edit_request import Edit


def save_input(task: Edit, patch: DraftPatch | None = None) -> KeptDraft:
    """Saves the input of the page; JSON that cannot be parsed is stored as text."""
    found = patch or patch_of_request(task)
    return draft_store.save_page(
        task.actor, task.base, found, task.moment_at, for_copying=task.of_former
    )


def patch_of_request(task: Edit) -> DraftPatch:
    """Returns the changes of the page: none if it has no fields, as when its script saved them."""
    sent = task.request.POST
    given = form_changes.read_marks(sent.get("given", ""))
    if sent.get("mode") == state_form.RAW:
        if "raw" not in sent:
            return DraftPatch()
        mark = sent.get("text-given", "")
        return draft_store.patch_of_whole(task.base, sent["raw"], given, mark)
    if "name-0" not in sent:
        return DraftPatch()
    return draft_store.patch_of_form(task.base, task.sent_rows, given)


def is_pressed(task: Edit) -> bool:
    """Returns True if one of the buttons beside pending changes was pressed."""
    sent = task.request.POST
    operations: list[Operation] = []
    if "take-back" in sent:
        name = unquote(sent["take-back"])
        draft = draft_store.find(task.actor, task.base.row, task.version)
        places = [place for place, each in draft.entries.items() if each.name == name]
        operations = [Revert(place) for place in places]
    elif "drop" in sent:
        operations = [Drop(sent["drop"])]
    elif "use" in sent:
        operations = [Use(sent["use"])]
    else:
        return False
    draft_store.apply_buttons(task.actor, task.base, operations)
    return True


def other_tab_message(names: Sequence[str]) -> str:
    """Returns the message about keys for which another tab has other input."""
    if not names:
        return ""
    text = ngettext(
        "Another tab of yours has a different value for the key %(keys)s. Both are kept.",
        "Another tab of yours has different values for the keys %(keys)s. Both are kept.",
        len(names),
    )
    return text % {"keys": ", ".join(map(shorten_name, names))}


def shorten_name(name: str) -> str:
    """Returns a name shortened for a sentence."""
    return f"{name[:40]}…" if len(name) > 40 else name or _("the new key")
