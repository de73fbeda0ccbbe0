"""The names of objects, from the apps that know them, for pages of apps below them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from django.utils.module_loading import import_string

from ctxadmin.audit.queries import NamedObject

# Returns the names of those objects of a workspace that still exist, by id.
FindNames = Callable[[int, Collection[str]], Mapping[str, str]]
# Returns those objects of a workspace whose names begin with a text, in upper or lower case, the
# shortest names first, at most a number.
FindNamed = Callable[[int, str, int], Sequence[NamedObject]]

_sources: Final[dict[str, str]] = {}
_finders: Final[dict[str, str]] = {}


def register_object_names(object_type: str, path: str) -> None:
    """Registers where ``FindNames`` for a type of objects can be imported."""
    _sources[object_type] = path


def register_named_objects(object_type: str, path: str) -> None:
    """Registers where ``FindNamed`` for a type of objects can be imported."""
    _finders[object_type] = path


def has_names(object_type: str) -> bool:
    """Returns True if objects of this type have names as long as they exist."""
    return object_type in _sources


def names_of(object_type: str, workspace: int, ids: Collection[str]) -> Mapping[str, str]:
    """Returns the names of objects of one type by id, with one or two queries if there are ids."""
    if not ids or object_type not in _sources:
        return {}
    source: FindNames = import_string(_sources[object_type])
    return source(workspace, ids)


def objects_named(
    object_type: str, workspace: int, beginning: str, most: int
) -> Sequence[NamedObject]:
    """Returns the objects whose names begin with a text, of any type if none is given.

    Of each type there are at most ``most``, the shortest names first.
    """
    finders: list[FindNamed] = [
        import_string(path) for kind, path in _finders.items() if object_type in ("", kind)
    ]
    return [each for find in finders for each in find(workspace, beginning, most)]
