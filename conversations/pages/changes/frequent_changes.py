"""Frequent changes to a whole view, each with at most one value to fill in."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext
from pydantic import JsonValue

from conversations.models import Conversation
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.ui.components import Text

_Block = dict[str, JsonValue]
_TALKING: Final[list[JsonValue]] = ["system", "user", "assistant"]
_MOST_SHOWN: Final = 20  # messages that the first change keeps unless asked otherwise
_TURNS_SHOWN: Final = 3
_LONGEST: Final = 10_000  # characters of a keyword, as the filter takes them
_LEAST_BUDGET: Final = 2  # tokens: a budget cuts to less than its limit


@dataclass(frozen=True, slots=True)
class FrequentChange:
    """A change in words: ``before``, the field for its value, ``after``, and what it does.

    ``kind`` is the type of the field, "" for a change without a value; ``value`` is what the
    field begins with, ``least`` the smallest number that it takes, ``problem`` what is wrong with
    the value. ``writes`` if the person writes a message next.
    """

    name: str
    before: Text
    after: Text
    help: Text
    kind: str = ""
    value: str = ""
    least: int = 1
    problem: str = ""
    writes: bool = False


_INSERT: Final = FrequentChange(
    "insert",
    gettext_lazy("Add a message at the end"),
    "",
    gettext_lazy("You write it next."),
    writes=True,
)


def frequent_changes(head: Conversation) -> Sequence[FrequentChange]:
    """Returns the changes on offer, with values that fit this conversation."""
    if not head.visible_count:
        return [_INSERT]
    kept = min(max(head.visible_count // 2, 1), _MOST_SHOWN)
    tokens = max(head.visible_tokens // 2, _LEAST_BUDGET)
    if tokens > 200:
        tokens -= tokens % 100
    return [
        FrequentChange(
            "keep_last",
            _("Keep only the last"),
            pgettext("after a number", "messages"),
            _("Hides the messages before them. System messages stay."),
            "number",
            str(kept),
        ),
        FrequentChange(
            "fit",
            _("Keep within"),
            pgettext("after a number", "tokens"),
            _("Hides the oldest messages until the others fit. System messages stay."),
            "number",
            str(tokens),
            _LEAST_BUDGET,
        ),
        FrequentChange(
            "without",
            _("Hide messages that contain"),
            "",
            _("Upper and lower case matter."),
            "text",
        ),
        FrequentChange(
            "without_tools",
            _("Hide tool calls and their results"),
            "",
            _("A message of the assistant with a call is hidden as a whole."),
        ),
        FrequentChange(
            "summarize",
            _("Summarize all but the last"),
            pgettext("after a number", "turns"),
            _("You write the summary next. A turn begins with a user message."),
            "number",
            str(_TURNS_SHOWN),
            writes=True,
        ),
        _INSERT,
    ]


def refused(
    changes: Sequence[FrequentChange], sent: QueryDict, problem: str
) -> Sequence[FrequentChange]:
    """Returns the changes with the value that was sent for one of them, and its problem."""
    return [
        replace(change, value=sent.get("value", ""), problem=problem)
        if change.name == sent.get("change")
        else change
        for change in changes
    ]


def chosen_operation(sent: QueryDict) -> dict[str, JsonValue] | None:
    """Reads the change of an address, ``change=keep_last&value=20``, as an operation.

    Returns None without one. Raises ValidationFailed if its value is missing or no number.
    """
    read = _OPERATIONS.get(sent.get("change", ""))
    return None if read is None else {"pairing": "keep", **read(sent)}


def _number(sent: QueryDict, least: int) -> int:
    number = whole_number(sent.get("value"))
    if number is None or number < least:
        raise ValidationFailed(_("Enter a whole number of at least %(n)s.") % {"n": least})
    return number


def _keep_last(sent: QueryDict) -> _Block:
    truncate: JsonValue = {"keep_last": _number(sent, 1), "keep_system": True}
    return {"operation": "truncate", "truncate": truncate}


def _fit(sent: QueryDict) -> _Block:
    limit = _number(sent, _LEAST_BUDGET)
    budget: JsonValue = {"max_tokens": limit, "target_tokens": limit - 1}
    return {"operation": "budget", "budget": budget}


def _without(sent: QueryDict) -> _Block:
    word = sent.get("value", "")
    if not word.strip():
        raise ValidationFailed(_("Enter the text of the messages to hide."))
    if len(word) > _LONGEST:
        raise ValidationFailed(_("Enter at most %(n)s characters.") % {"n": _LONGEST})
    excludes: JsonValue = {"content_excludes": [word]}
    return {"operation": "filter", "filter": excludes}


def _without_tools(sent: QueryDict) -> _Block:
    roles: JsonValue = {"roles": _TALKING}
    return {"operation": "filter", "filter": roles, "pairing": "drop"}


def _summarize(sent: QueryDict) -> _Block:
    summarize: JsonValue = {
        "older_than": {"turns": _number(sent, 1)},
        "keep_system": True,
        "message": {"role": "user", "content": ""},
    }
    return {"operation": "summarize", "summarize": summarize}


def _insert(sent: QueryDict) -> _Block:
    draft: JsonValue = {"role": "user", "content": ""}
    return {"operation": "insert", "insert": {"position": -1, "messages": [draft]}}


_OPERATIONS: Final[Mapping[str, Callable[[QueryDict], _Block]]] = {
    "keep_last": _keep_last,
    "fit": _fit,
    "without": _without,
    "without_tools": _without_tools,
    "summarize": _summarize,
    "insert": _insert,
}
