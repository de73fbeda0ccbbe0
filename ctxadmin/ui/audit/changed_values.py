"""The values before and after a change of the audit, by the apps above that recorded them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.module_loading import import_string

from ctxadmin.audit.models import AuditEntry
from ctxadmin.ui.components import Text


@dataclass(frozen=True, slots=True)
class ChangedValue:
    """A field of what was changed, with its values in words or, ``is_json``, as JSON.

    An empty side means no value.
    """

    subject: Text
    field: Text
    before: Text
    after: Text
    is_json: bool = False

    @property
    def sides(self) -> tuple[Text, Text]:
        return self.before, self.after


ChangedValues = Callable[[AuditEntry], Sequence[ChangedValue]]

_sources: Final[dict[str, str]] = {}


def register_changed_values(object_type: str, path: str) -> None:
    """Registers where ``ChangedValues`` for the entries of a type of objects can be imported."""
    _sources[object_type] = path


def changed_values(entry: AuditEntry) -> Sequence[ChangedValue]:
    """Returns the values that an entry has on record; none for most."""
    path = _sources.get(entry.object_type)
    if path is None:
        return ()
    source: ChangedValues = import_string(path)
    return source(entry)
