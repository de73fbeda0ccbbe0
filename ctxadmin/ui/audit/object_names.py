"""The names of the objects of audit entries, by the apps above that know them."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from django.utils.module_loading import import_string

from ctxadmin.audit.models import AuditEntry
from ctxadmin.http.audit.entries import detail_of

# Returns the names of those objects of a workspace that still exist, by id.
FindNames = Callable[[int, Collection[str]], Mapping[str, str]]
# A type of objects and an id.
ObjectKey = tuple[str, str]

_sources: Final[dict[str, str]] = {}


def register_object_names(object_type: str, path: str) -> None:
    """Registers where ``FindNames`` for a type of objects can be imported."""
    _sources[object_type] = path


def has_names(object_type: str) -> bool:
    """Returns True if objects of this type have names as long as they exist."""
    return object_type in _sources


def named_object(entry: AuditEntry) -> ObjectKey:
    """Returns the object that an entry is shown with: of an execution its conversation."""
    if entry.object_type == "execution":
        detail = detail_of(entry.detail)
        return "conversation", str(detail.get("conversation", "")) if isinstance(
            detail, dict
        ) else ""
    return entry.object_type, entry.object_id


def object_names(workspace: int, entries: Iterable[AuditEntry]) -> Mapping[ObjectKey, str]:
    """Returns the names of the entries' objects, with one or two queries for each type."""
    wanted: dict[str, set[str]] = {}
    for entry in entries:
        object_type, object_id = named_object(entry)
        if object_id and object_type in _sources:
            wanted.setdefault(object_type, set()).add(object_id)
    found: dict[ObjectKey, str] = {}
    for object_type, ids in wanted.items():
        source: FindNames = import_string(_sources[object_type])
        names = source(workspace, ids)
        found |= {(object_type, each): name for each, name in names.items()}
    return found
