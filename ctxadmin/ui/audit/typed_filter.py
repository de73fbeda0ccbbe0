"""The filter of the audit as people type it: with names instead of ids."""

from dataclasses import replace
from typing import Final

from ctxadmin.audit.queries import AuditFilter, NamedObject, find_entries
from ctxadmin.ui.components import author_label, author_of_label
from ctxadmin.ui.object_names import objects_named

_MOST: Final = 50  # objects of each type
_MOST_AUTHORS: Final = 20  # people, and tokens
_MOST_SUGGESTED: Final = 100  # people, and tokens


def with_names(workspace: int, typed: AuditFilter) -> AuditFilter:
    """Returns a filter that also finds objects, and authors, by their names as pages show them.

    What is typed is an id or a whole name, and only without such a one the beginning of a name.
    """
    return _with_author(workspace, _with_objects(workspace, typed))


def _with_objects(workspace: int, typed: AuditFilter) -> AuditFilter:
    text = typed.object_id
    if not text:
        return typed
    # Executions are shown with the names of their conversations.
    shown_type = "conversation" if typed.object_type == "execution" else typed.object_type
    found = objects_named(shown_type, workspace, text, _MOST)
    whole = [each for each in found if each.name.casefold() == text.casefold()]
    if whole or not found:
        return replace(typed, named=whole)
    by_id = AuditFilter(object_type=typed.object_type, object_id=text)
    return typed if find_entries(workspace, by_id, None, 1) else replace(typed, named=found)


def _with_author(workspace: int, typed: AuditFilter) -> AuditFilter:
    """Returns the filter with the authors that what was typed stands for.

    A name that is on record stays what it is, also one that is written like a label such as
    ``engine-1 (token)``.
    """
    if not typed.actor or find_entries(workspace, AuditFilter(actor=typed.actor), None, 1):
        return typed
    if author := author_of_label(typed.actor):
        return replace(typed, actor=author)
    found = {each.name for each in _authors_named(workspace, typed.actor, _MOST_AUTHORS)}
    whole = {each for each in found if each.casefold() == typed.actor.casefold()}
    return replace(typed, authors=sorted(whole or found))


def suggested_authors(workspace: int) -> list[str]:
    """Returns people and tokens of a workspace as pages show them."""
    found = _authors_named(workspace, "", _MOST_SUGGESTED)
    kinds = {"member": "person", "token": "token"}
    return [author_label(f"{kinds[each.object_type]}:{each.name}") for each in found]


def _authors_named(workspace: int, beginning: str, most: int) -> list[NamedObject]:
    kinds = ("member", "token")
    return [each for kind in kinds for each in objects_named(kind, workspace, beginning, most)]
