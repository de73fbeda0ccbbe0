"""Messages selected on the page of a conversation, as the start of an operation."""

from collections.abc import Mapping
from typing import Any, Final

import orjson
from django.http import QueryDict
from django.utils.translation import gettext as _
from pydantic import JsonValue

from conversations.domain import runs as run_sets
from conversations.domain.runs import Runs
from conversations.domain.view import View
from conversations.models import Conversation
from conversations.pages.changes.change_effects import current_view, find_system_messages
from conversations.pages.changes.typed_messages import form_message
from conversations.reading import queries
from conversations.store.conversation import find_revision
from ctxadmin.lib.errors import ValidationFailed, VersionConflict
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.ui.forms.seen_numbers import seen_number

_MOST: Final = 1000  # ranges, as the operation takes them
_LONGEST: Final = 20_000
_OPERATIONS: Final[Mapping[str, str]] = {
    "hide": "truncate",
    "keep_from": "truncate",
    "insert": "insert",
    "replace": "replace",
    "summarize": "summarize",
}


def is_selection(sent: QueryDict) -> bool:
    return sent.get("do", "") in _OPERATIONS


def operation_for(head: Conversation, sent: QueryDict) -> dict[str, JsonValue]:
    """Returns the operation that a button of the selection requests, for review and changes.

    Raises VersionConflict if the view changed, ValidationFailed if nothing is selected.
    """
    places = _places(sent)
    require_current(head, sent)
    first, wanted = places[0][0], sent.get("do", "")
    operation: dict[str, JsonValue] = {"operation": _OPERATIONS[str(wanted)], "pairing": "warn"}
    if wanted == "hide":
        ranges: list[JsonValue] = [{"start": start, "end": stop} for start, stop in places]
        keeps = not _only_system(head, places)
        return operation | {"truncate": {"remove_ranges": ranges, "keep_system": keeps}}
    if wanted == "keep_from":
        return operation | {"truncate": {"remove_first": first, "keep_system": True}}
    if wanted == "insert":
        draft: JsonValue = {"role": "user", "content": ""}
        return operation | {"insert": {"position": first, "messages": [draft]}}
    if wanted == "summarize":
        span: JsonValue = {"start": first, "end": places[-1][1]}
        written: JsonValue = {"role": "user", "content": ""}
        return operation | {"summarize": {"range": span, "message": written}}
    message = form_message(body_at(head, first), keeps_calls=False)
    return operation | {"replace": {"index": first, "message": message}}


def require_current(head: Conversation, sent: QueryDict) -> None:
    """Raises VersionConflict if the messages were selected in another view than the current one."""
    revision, count = seen_number(sent, "revision"), seen_number(sent, "count")
    if revision != head.current_revision or count > head.visible_count:
        raise VersionConflict(
            _("The view has changed since. Select the messages again."),
            expected=revision,
            actual=head.current_revision,
        )


def _only_system(head: Conversation, places: Runs) -> bool:
    """Returns True if the selection has nothing but system messages."""
    view = current_view(head)
    chosen = run_sets.union(run for start, stop in places for run in view.slice(start, stop).runs)
    return bool(chosen) and find_system_messages(head, chosen) == chosen


def first_position(sent: QueryDict) -> int:
    """The first of the selected positions."""
    return _places(sent)[0][0]


def positions_of(sent: QueryDict) -> str:
    """The selected positions as an address has them: ``3-5,9``."""
    return ranges_text(_places(sent))


def ranges_text(runs: Runs) -> str:
    """Runs as an address has them: ``3-5,9-9``."""
    return ",".join(f"{start}-{stop - 1}" for start, stop in runs)


def selected_runs(head: Conversation, sent: QueryDict) -> Runs:
    """The log indices of the selected messages."""
    return runs_in(current_view(head), sent)


def runs_in(view: View, sent: QueryDict) -> Runs:
    """The log indices of the selected messages, if they were selected in ``view``."""
    return run_sets.union(
        run for start, stop in _places(sent) for run in view.slice(start, stop).runs
    )


def body_at(head: Conversation, position: int) -> Any:
    """The stored JSON of the message at a position of the current view."""
    row = find_revision(head.key, head.current_revision)
    found = queries.visible_window(head, row, position, 1).messages
    if not found:
        raise ValidationFailed(_("This message is not in the view."))
    return orjson.loads(found[0].body)


def _places(sent: QueryDict) -> Runs:
    """Returns the selected positions as ranges: ``positions=3-5,9``, ``at=7`` for each box."""
    texts = [*sent.get("positions", "")[:_LONGEST].split(","), *sent.getlist("at")[:_MOST]]
    places = run_sets.union(_range(text) for text in texts if text)
    if not places:
        raise ValidationFailed(_("Select at least one message first."))
    if len(places) > _MOST:
        text = _("At most %(n)s ranges of messages can be hidden at once.")
        raise ValidationFailed(text % {"n": _MOST})
    return places


def _range(text: str) -> tuple[int, int]:
    first, dash, last = text.partition("-")
    start, end = whole_number(first), whole_number(last if dash else first)
    if start is None or end is None:
        raise ValidationFailed.at("?positions", _("Enter positions as 3-5,9."))
    return start, end + 1
