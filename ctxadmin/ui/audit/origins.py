"""The actions that entries of the audit are part of: apps above register how to find them."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from ctxadmin.audit.models import AuditEntry
from ctxadmin.ui.components import Text


@dataclass(frozen=True, slots=True)
class Origin:
    """What an entry is part of, with its page."""

    label: Text
    url: str


# The author and the id of the request of an entry.
Cause = tuple[str, str]
# Returns what in a workspace has these causes, by cause, in one statement.
FindOrigins = Callable[[int, Collection[Cause]], Mapping[Cause, Origin]]

_finders: list[FindOrigins] = []


def register_origins(find: FindOrigins) -> None:
    """Registers how to find what entries are part of."""
    _finders.append(find)


def cause_of(entry: AuditEntry) -> Cause:
    """Returns the author of an entry, as pages show authors, and the id of its request."""
    return f"{entry.actor_kind}:{entry.actor_name}", entry.request_id


def origins_of(workspace: int, causes: Collection[Cause]) -> Mapping[Cause, Origin]:
    """Returns what entries are part of, by cause, without those of changes of their own."""
    found: dict[Cause, Origin] = {}
    for find in _finders:
        found |= find(workspace, causes)
    return found
