"""The filter of the audit as people type it: with names instead of ids."""

from dataclasses import replace
from typing import Final

from ctxadmin.audit.queries import AuditFilter, find_entries
from ctxadmin.ui.components import author_of_label
from ctxadmin.ui.object_names import objects_named

_MOST: Final = 50  # objects of each type


def with_names(workspace: int, typed: AuditFilter) -> AuditFilter:
    """Returns a filter that also finds objects, and an author, by their names as pages show them.

    What is typed is an id or a whole name, and only without such an object the beginning of one.
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
    """Returns the filter with a label such as ``engine-1 (token)`` as the author it stands for.

    A name that is written like a label stays what it is.
    """
    author = author_of_label(typed.actor)
    if not author or find_entries(workspace, AuditFilter(actor=typed.actor), None, 1):
        return typed
    return replace(typed, actor=author)
