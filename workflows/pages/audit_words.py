"""Names of workflows and words of saved drafts for the audit."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Final

from django.db.models import Q
from django.db.models.functions import Length
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ctxadmin.audit.queries import NamedObject
from ctxadmin.ui.audit.change_words import Run
from ctxadmin.ui.components import Text, join_line, join_list
from workflows.domain.document.recorded_changes import (
    DraftRecord,
    Kind,
    RecordedChange,
    net_changes,
    read_changes,
)
from workflows.models import Workflow, WorkflowVersion
from workflows.pages.field_words import OF_WORKFLOW, field_labels
from workflows.reading.node_names import names_in

_MOST_NAMED: Final = 3

_KINDS: Final[Sequence[Kind]] = ("added", "removed", "changed", "moved")

Names = Mapping[str, str]  # of nodes, by id


def names_of_workflows(workspace: int, slugs: Collection[str]) -> Names:
    """Returns the names of those workflows that still exist, by slug."""
    rows = Workflow.objects.for_workspace(workspace).filter(slug__in=slugs)
    return {slug or "": name for slug, name in rows.values_list("slug", "name")}


def workflows_named(workspace: int, beginning: str, most: int) -> Sequence[NamedObject]:
    """Returns the workflows whose names begin with a text."""
    rows = Workflow.objects.for_workspace(workspace).filter(name__istartswith=beginning)
    found = rows.order_by(Length("name"), "key").values_list("slug", "name", "key")
    return [NamedObject("workflow", slug or "", name, key) for slug, name, key in found[:most]]


def words_of_runs(runs: Sequence[Run]) -> Sequence[Text]:
    """Returns what saved drafts changed in all, by the names that nodes had at that time.

    Where those are not on record, nodes have the names of today, and a removed node that of the
    published version, if it is in that, else its id. "" for drafts of earlier releases, which
    recorded no changes.
    """
    recorded = [[read_changes(bytes(entry.detail)) for entry in reversed(run)] for run in runs]
    pairs = list(zip(runs, recorded, strict=True))
    named = _names_of_nodes({run[0].stream for run, drafts in pairs if any(drafts)})
    return [_words(drafts, named.get(run[0].stream, {})) for run, drafts in pairs]


def _words(drafts: Sequence[DraftRecord], names: Names) -> Text:
    changes = net_changes(change for draft in drafts for change in draft.changes)
    if not changes and drafts[-1].former_name:
        return _("renamed, formerly “%(name)s”") % {"name": drafts[-1].former_name}
    names = reduce(or_, (dict(draft.names) for draft in drafts), dict(names))
    phrases: list[Text] = []
    for kind in _KINDS:
        of_kind = [change for change in changes if change.kind == kind]
        if of_kind:
            phrases.append(_PHRASES[kind](_named(of_kind, names)))
    if further := sum(draft.further for draft in drafts):
        more = ngettext("%(n)s more change", "%(n)s more changes", further)
        phrases.append(more % {"n": further})
    return join_line(phrases)


_PHRASES: Final[Mapping[Kind, Callable[[str], Text]]] = {
    "added": lambda names: _("added %(names)s") % {"names": names},
    "removed": lambda names: _("removed %(names)s") % {"names": names},
    "changed": lambda names: _("changed %(names)s") % {"names": names},
    "moved": lambda names: _("moved %(names)s") % {"names": names},
}


def _named(changes: Sequence[RecordedChange], names: Names) -> str:
    said = [_with_fields(change, names) for change in changes[:_MOST_NAMED]]
    if len(changes) > _MOST_NAMED:
        further = len(changes) - _MOST_NAMED
        said.append(ngettext("%(n)s more", "%(n)s more", further) % {"n": further})
    return join_list(said)


def _with_fields(change: RecordedChange, names: Names) -> Text:
    name = name_of_change(change, names)
    if change.element == "workflow" and change.former_name:
        return _("%(what)s, formerly “%(name)s”") % {"what": name, "name": change.former_name}
    if not change.fields:
        return name
    labels = field_labels(change.element)
    fields = [label for field, label in labels.items() if field in change.fields]
    if change.former_name:
        former = _("name, formerly “%(name)s”") % {"name": change.former_name}
        fields = [former if label == labels["name"] else label for label in fields]
    return _("%(name)s (%(fields)s)") % {"name": name, "fields": join_list(fields)}


def name_of_change(change: RecordedChange, names: Names) -> Text:
    """Returns what a change is about, by the ``names`` of nodes."""
    if change.element == "workflow":
        return OF_WORKFLOW.get(change.id, change.id)
    if change.element == "edge":
        start, end = (names.get(each, each) for each in change.ends)
        return _("the edge %(start)s → %(end)s") % {"start": start, "end": end}
    return _("“%(name)s”") % {"name": names.get(change.id, change.id)}


def _names_of_nodes(streams: Collection[int]) -> Mapping[int, Names]:
    """Returns the names of the nodes of drafts and of the latest published versions."""
    if not streams:
        return {}
    rows = list(Workflow.objects.filter(key__in=streams))
    published = [
        Q(workflow=row.key, version=row.published_version) for row in rows if row.published_version
    ]
    versions = WorkflowVersion.objects.filter(reduce(or_, published)) if published else ()
    found = {version.workflow: names_in(bytes(version.document)) for version in versions}
    return {row.key: {**found.get(row.key, {}), **names_in(bytes(row.draft))} for row in rows}
