"""What changes of the audit did in words, by the apps above that know their objects."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from django.utils.module_loading import import_string

from ctxadmin.audit.models import AuditEntry
from ctxadmin.ui.components import Text

Place = tuple[int, int]
"""The stream of an entry, and its number in that."""

ChangeWords = Callable[[Sequence[AuditEntry]], Mapping[Place, Text]]

_sources: Final[dict[str, str]] = {}


def register_change_words(object_type: str, path: str) -> None:
    """Registers where ``ChangeWords`` for the entries of a type of objects can be imported."""
    _sources[object_type] = path


def change_words(entries: Iterable[AuditEntry]) -> Mapping[Place, Text]:
    """Returns the words of those changes that have some, with a bounded number of queries."""
    listed = list(entries)
    found: dict[Place, Text] = {}
    for object_type, path in _sources.items():
        mine = [entry for entry in listed if entry.object_type == object_type]
        if mine:
            source: ChangeWords = import_string(path)
            found.update(source(mine))
    return found
