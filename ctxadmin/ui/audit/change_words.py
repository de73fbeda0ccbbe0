"""What changes of the audit did in words, by the apps above that know their objects."""

from collections.abc import Callable, Sequence
from typing import Final

from django.utils.module_loading import import_string

from ctxadmin.audit.models import AuditEntry
from ctxadmin.ui.components import Text

# Changes of one object that are said as one, latest first; often only one.
Run = Sequence[AuditEntry]
ChangeWords = Callable[[Sequence[Run]], Sequence[Text]]

_sources: Final[dict[str, str]] = {}


def register_change_words(object_type: str, path: str) -> None:
    """Registers where ``ChangeWords`` for the entries of a type of objects can be imported."""
    _sources[object_type] = path


def change_words(runs: Sequence[Run]) -> Sequence[Text]:
    """Returns the words of each run, "" for none, with a bounded number of queries."""
    found: dict[int, Text] = {}
    by_type: dict[str, list[int]] = {}
    for place, run in enumerate(runs):
        by_type.setdefault(run[0].object_type, []).append(place)
    for object_type, places in by_type.items():
        if path := _sources.get(object_type):
            source: ChangeWords = import_string(path)
            words = source([runs[place] for place in places])
            found |= dict(zip(places, words, strict=True))
    return [found.get(place, "") for place in range(len(runs))]
