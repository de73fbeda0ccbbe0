"""Designers that meet: one of several wins, the others learn of it, nothing is lost."""

from typing import Any

import pytest

from ctxadmin.audit.models import AuditEntry
from ctxadmin.audit.verification import verify_stream
from ctxadmin.identity.roles import Action, Scope
from ctxadmin.lib.errors import Duplicate, InvalidState, VersionConflict
from tests.concurrent_writers import together
from tests.factories import engine
from tests.integration.workflows.documents import document
from workflows.domain.checks import problems
from workflows.domain.document import graph
from workflows.domain.document.graph import Document
from workflows.models import Workflow, WorkflowVersion
from workflows.services import use_cases
from workflows.services.use_cases import NewWorkflow, SavedDraft
from workflows.store import workflow

pytestmark = pytest.mark.django_db(transaction=True)


def named(name: str) -> Document:
    return graph.read(document(name=name))


def designer() -> Any:
    return engine(Scope.DESIGN)


def assert_audited(row: Workflow) -> None:
    """The chain holds and there is one entry per change."""
    assert not verify_stream(row.key)


def test_of_two_designers_on_one_draft_one_wins_and_the_others_are_notified_of_it() -> None:
    actor = designer()
    row = use_cases.create(actor, NewWorkflow("flow"))
    tasks = [
        lambda name=name: use_cases.save_draft(actor, "flow", named(name), 0) for name in "abcd"
    ]
    results = together(tasks)
    conflicts = [result for result in results if isinstance(result, VersionConflict)]
    saved = [result for result in results if isinstance(result, SavedDraft)]
    assert (len(saved), len(conflicts)) == (1, 3)
    assert {(error.expected, error.actual) for error in conflicts} == {(0, 1)}
    winner = "abcd"[results.index(saved[0])]
    assert f'"name":"{winner}"' in bytes(Workflow.objects.get().draft).decode()
    assert_audited(row)


def test_one_draft_is_published_once_however_many_try() -> None:
    actor = designer()
    row = use_cases.create(actor, NewWorkflow("flow"))
    use_cases.save_draft(actor, "flow", named("a"), 0)
    results = together([lambda: use_cases.publish(actor, "flow", 1)] * 4)
    assert sum(isinstance(result, WorkflowVersion) for result in results) == 1
    assert sum(isinstance(result, InvalidState) for result in results) == 3
    assert WorkflowVersion.objects.count() == 1
    assert_audited(row)


def test_a_draft_that_changes_while_it_is_published_is_a_conflict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Acts between the look at the draft and the write of the version."""
    actor = designer()
    row = use_cases.create(actor, NewWorkflow("flow"))
    use_cases.save_draft(actor, "flow", named("a"), 0)
    refuse = problems.refuse_unpublishable

    def meanwhile(found: list[problems.Problem]) -> None:
        use_cases.save_draft(actor, "flow", named("b"), 1)
        refuse(found)

    monkeypatch.setattr(problems, "refuse_unpublishable", meanwhile)
    with pytest.raises(VersionConflict) as refused:
        use_cases.publish(actor, "flow", 1)
    assert (refused.value.expected, refused.value.actual) == (1, 2)
    assert WorkflowVersion.objects.count() == 0
    assert_audited(row)


def test_a_write_that_did_not_see_the_latest_change_is_refused_by_the_update_itself() -> None:
    """Also without the lock of the row, as on a database that would ignore it."""
    actor = designer()
    row = use_cases.create(actor, NewWorkflow("flow"))
    seen = workflow.find_workflow(actor.workspace, "flow")
    use_cases.save_draft(actor, "flow", named("b"), 0)
    opened = workflow.WorkflowWriting(seen, actor)
    with pytest.raises(VersionConflict):
        opened.commit(Action.WORKFLOW_CHANGE, {}, draft=b"{}", draft_version=1)
    assert b'"name":"b"' in bytes(Workflow.objects.get().draft)
    assert_audited(row)


def test_changes_of_names_and_drafts_do_not_undo_each_other() -> None:
    actor = designer()
    row = use_cases.create(actor, NewWorkflow("flow"))
    tasks: list[Any] = [
        lambda: use_cases.save_draft(actor, "flow", named("a"), 0),
        lambda: use_cases.change(actor, "flow", name="Other"),
        lambda: use_cases.change(actor, "flow", description="new"),
    ]
    results = together(tasks)
    assert not [result for result in results if isinstance(result, Exception)]
    now = Workflow.objects.get()
    assert (now.name, now.description, now.draft_version) == ("Other", "new", 1)
    assert_audited(row)


def test_one_slug_is_given_once_however_many_ask() -> None:
    actor = designer()
    results = together([lambda: use_cases.create(actor, NewWorkflow("flow"))] * 4)
    assert sum(isinstance(result, Workflow) for result in results) == 1
    assert sum(isinstance(result, Duplicate) for result in results) == 3
    assert Workflow.objects.count() == 1
    assert AuditEntry.objects.filter(object_type="workflow").count() == 1
