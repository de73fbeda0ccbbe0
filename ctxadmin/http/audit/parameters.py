"""Reads the filters and the cursor of the audit from a query string."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from django.http import QueryDict

from ctxadmin.audit.queries import AuditFilter, Position
from ctxadmin.http.endpoints.pagination import PageRequest, foreign_cursor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say

ACTIONS: Final = frozenset(action.value for action in Action)
OBJECT_TYPES: Final = (
    *("conversation", "execution", "workflow", "workspace", "member"),
    *("person", "token", "webhook", "audit"),
)
NAMES: Final = ("actor", "action", "object_type", "object", "since", "until")
LONGEST: Final = 200


def filter_in(query: QueryDict) -> AuditFilter:
    """Returns the filter of a query string; raises ValidationFailed at a parameter."""
    given = {name: query.get(name, "").strip() for name in NAMES}
    for name, text in given.items():
        if len(text) > LONGEST:
            problem = say("Enter at most {longest} characters.", longest=LONGEST)
            raise ValidationFailed.at(f"?{name}", problem)
        if "\0" in text:
            raise ValidationFailed.at(f"?{name}", say("Remove the NUL character."))
    _refuse_unknown(given)
    return AuditFilter(
        actor=given["actor"],
        action=given["action"],
        object_type=given["object_type"],
        object_id=given["object"],
        since=_moment("since", given["since"], end_of_day=False),
        until=_moment("until", given["until"], end_of_day=True),
    )


def position_in(request: PageRequest) -> Position | None:
    """Returns the position after which a page starts; None for the first page."""
    match request.after:
        case ():
            return None
        case (int() as at, int() as stream, int() as seq) if (
            abs(at) < 10**17 and 0 <= stream < 2**63 and 0 <= seq < 2**63
        ):
            return (at, stream, seq)
    raise foreign_cursor()


def _refuse_unknown(given: Mapping[str, str]) -> None:
    if given["action"] and given["action"] not in ACTIONS:
        known = ", ".join(sorted(ACTIONS))
        raise ValidationFailed.at(
            "?action", say("Unknown action. Use one of: {known}.", known=known)
        )
    if given["object_type"] and given["object_type"] not in OBJECT_TYPES:
        known = ", ".join(OBJECT_TYPES)
        raise ValidationFailed.at(
            "?object_type", say("Unknown type of object. Use one of: {known}.", known=known)
        )


def _moment(name: str, text: str, *, end_of_day: bool) -> datetime | None:
    """Returns a moment, or the begin of a day or of the one after it, in UTC."""
    if not text:
        return None
    try:
        if len(text) == len("2026-11-24"):
            day = datetime.combine(date.fromisoformat(text), time(), UTC)
            return day + timedelta(days=1) if end_of_day else day
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValidationFailed.at(
            f"?{name}",
            say(
                "{name} must be a day or a time, as in 2026-11-24 or 2026-11-24T13:05Z.", name=name
            ),
        ) from None
