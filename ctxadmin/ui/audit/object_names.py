"""The names of the objects of audit entries."""

from collections.abc import Iterable, Mapping

from ctxadmin.audit.models import AuditEntry
from ctxadmin.http.audit.entries import detail_of
from ctxadmin.ui.object_names import names_of

# A type of objects and an id.
ObjectKey = tuple[str, str]


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
        if object_id:
            wanted.setdefault(object_type, set()).add(object_id)
    return {
        (object_type, each): name
        for object_type, ids in wanted.items()
        for each, name in names_of(object_type, workspace, ids).items()
    }
