"""The query parameters of sums: by what to group, and the first day that counts."""

from collections.abc import Collection
from datetime import date, timedelta
from typing import Final

from django.http import QueryDict

from ctxadmin.http.described import Parameter, one_or_more_of
from ctxadmin.lib import clock
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say

_DAYS: Final = 30
_LONGEST_SHOWN: Final = 64
SINCE: Final = Parameter(
    "since",
    "The first day that counts (`YYYY-MM-DD`, UTC); 30 days ago without it.",
    limits={"format": "date"},
)


def group_parameter(names: Collection[str]) -> Parameter:
    """Describes ``?group=`` of sums that can be grouped by ``names``."""
    known = ", ".join(names)
    return Parameter(
        "group",
        f"By what to sum, with commas between: {known}; all in one sum without it.",
        limits=one_or_more_of(names),
    )


def groups_of(query: QueryDict, names: Collection[str]) -> list[str]:
    """Returns the requested groups; raises ValidationFailed for one that is not in ``names``."""
    groups = [part for part in query.get("group", "").split(",") if part]
    for each in groups:
        if each not in names:
            shown, known = repr(each[:_LONGEST_SHOWN]), ", ".join(names)
            message = say("{unknown} is unknown; known: {known}", unknown=shown, known=known)
            raise ValidationFailed.at("?group", message)
    return groups


def since_of(query: QueryDict) -> date:
    """Returns the first day, 30 days ago by default; raises ValidationFailed for another text."""
    text = query.get("since")
    if text is None:
        return clock.now().date() - timedelta(days=_DAYS)
    try:
        if len(text) != len("2026-11-24"):
            raise ValueError
        return date.fromisoformat(text)
    except ValueError:
        raise ValidationFailed.at("?since", say("since must be a day, as in 2026-11-24.")) from None
