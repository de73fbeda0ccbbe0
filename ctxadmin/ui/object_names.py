"""The names of objects by their ids, from the apps that know them, for pages of apps below them."""

from collections.abc import Callable, Collection, Mapping
from typing import Final

from django.utils.module_loading import import_string

# Returns the names of those objects of a workspace that still exist, by id.
FindNames = Callable[[int, Collection[str]], Mapping[str, str]]

_sources: Final[dict[str, str]] = {}


def register_object_names(object_type: str, path: str) -> None:
    """Registers where ``FindNames`` for a type of objects can be imported."""
    _sources[object_type] = path


def has_names(object_type: str) -> bool:
    """Returns True if objects of this type have names as long as they exist."""
    return object_type in _sources


def names_of(object_type: str, workspace: int, ids: Collection[str]) -> Mapping[str, str]:
    """Returns the names of objects of one type by id, with one or two queries if there are ids."""
    if not ids or object_type not in _sources:
        return {}
    source: FindNames = import_string(_sources[object_type])
    return source(workspace, ids)
