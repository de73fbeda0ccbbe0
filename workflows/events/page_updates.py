"""Announces changes of workflows to the pages that follow them, and reads their state."""

from collections.abc import Mapping, Sequence

from ctxadmin.identity.actor import Actor
from ctxadmin.realtime.announcements import announce, author_of
from ctxadmin.realtime.messages import Announced
from ctxadmin.realtime.protocol import Activity, AnnouncedFrame, Gone
from ctxadmin.realtime.topics import Topic, TopicSource
from workflows.events.frames import DraftChanged, WorkflowState
from workflows.models import Workflow
from workflows.store.workflow import CommittedChange, find_workflow

KIND = "workflows"


def announce_change(change: CommittedChange) -> None:
    """Announces a committed change from the writer's own data; reads nothing."""
    row, author = change.row, author_of(change.actor)
    slug = row.slug or row.deleted_slug
    frame: AnnouncedFrame = DraftChanged(
        id=slug,
        seq=row.change_seq,
        what=change.what,
        who=author,
        draft_version=row.draft_version,
        published_version=row.published_version,
    )
    if row.slug is None:
        frame = Gone(id=slug, who=author)
    activity = Activity(kind="workflow", id=slug, what=change.what, who=author)
    announce(Announced(Topic(KIND, row.key, row.workspace), frame, activity))


def find(actor: Actor, slug: str) -> tuple[int, WorkflowState]:
    """Returns the key of a workflow of the actor's workspace, and its state."""
    row = find_workflow(actor.workspace, slug)
    return row.key, _state(row.slug or "", row.change_seq, row.draft_version, row.published_version)


def read(keys: Sequence[int]) -> Mapping[int, WorkflowState]:
    """Returns the states of workflows; deleted ones are omitted."""
    rows = Workflow.objects.filter(key__in=keys, slug__isnull=False)
    fields = ("key", "slug", "change_seq", "draft_version", "published_version")
    return {
        key: _state(slug or "", seq, draft, published)
        for key, slug, seq, draft, published in rows.values_list(*fields)
    }


def _state(slug: str, seq: int, draft: int, published: int | None) -> WorkflowState:
    return WorkflowState(id=slug, seq=seq, draft_version=draft, published_version=published)


SOURCE = TopicSource(KIND, find, read, DraftChanged)
