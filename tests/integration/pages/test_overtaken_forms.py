"""Another execution starts after a form was read and before its write."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from types import ModuleType

import pytest

from checkpoints.models import Claim, Execution, Label
from checkpoints.services import annotations, restores, status_changes
from conversations.models import Comment
from conversations.writing.conversation import Writing, writing
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Role
from tests.concurrent_writers import together
from tests.factories import signed_in
from tests.integration.checkpoints.flows import ok
from tests.integration.pages.execution_scenes import another, hidden, page, paused, text, url

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]

STARTED = "Another execution has started"


def before_it_is_written(
    monkeypatch: pytest.MonkeyPatch, act: Callable[[], None], service: ModuleType = annotations
) -> None:
    """Act once, in a connection of its own, before a service's write takes the conversation."""

    def after_that(actor: Actor, public_id: str) -> AbstractContextManager[Writing]:
        monkeypatch.setattr(service, "writing", writing)
        assert together([act]) == [None]
        return writing(actor, public_id)

    monkeypatch.setattr(service, "writing", after_that)


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("versions/1/label/", {"text": "of the one before"}),
        ("comment/?version=1", {"text": "of the one before"}),
        ("comment/?key=draft", {"text": "of the one before"}),
        ("assign/", {"assignee": "reviewer-default"}),
    ],
)
def test_what_was_meant_for_the_former_execution_is_not_put_on_the_new_one(
    monkeypatch: pytest.MonkeyPatch, path: str, fields: dict[str, str]
) -> None:
    reviewer, run = signed_in(Role.REVIEWER), paused()
    sent = fields | {"execution": hidden(page(reviewer, run, path), "execution")}
    before_it_is_written(monkeypatch, partial(another, run))
    answer = reviewer.post(url(run, path), sent, follow=True)
    assert Execution.objects.count() == 2
    assert STARTED in text(answer)
    assert fields.get("text", "") in text(answer)
    assert not any(table.objects.exists() for table in (Label, Comment, Claim))


def test_a_label_of_the_new_execution_is_not_removed_in_the_place_of_the_former_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reviewer, run = signed_in(Role.REVIEWER), paused()

    def put_label(name: str) -> None:
        ok(run.api.put(f"{run.path}/checkpoints/1/label", {"label": name}))

    def another_with_a_label() -> None:
        another(run)
        put_label("of the new one")

    put_label("of the one before")
    asked = page(reviewer, run, "versions/1/label/")
    before_it_is_written(monkeypatch, another_with_a_label)
    sent = {"execution": hidden(asked, "execution"), "remove": "1"}
    answer = reviewer.post(url(run, "versions/1/label/"), sent)
    assert (answer.status_code, STARTED in text(answer)) == (409, True)
    assert sorted(Label.objects.values_list("execution", "name")) == [
        (1, "of the one before"),
        (2, "of the new one"),
    ]


@pytest.mark.parametrize(
    ("path", "fields", "service"),
    [
        ("move/", {"move": "approve"}, status_changes),
        ("move/", {"move": "reject", "reason": "of the one before"}, status_changes),
        ("move/", {"move": "resume"}, status_changes),
        ("cancel/", {"reason": "of the one before"}, status_changes),
        ("versions/0/restore/", {"reason": "of the one before"}, restores),
        ("claim/", {"do": "claim"}, annotations),
        ("claim/", {"do": "release"}, annotations),
    ],
)
def test_what_was_decided_of_the_former_execution_does_not_move_the_new_one(
    monkeypatch: pytest.MonkeyPatch, path: str, fields: dict[str, str], service: ModuleType
) -> None:
    """Also where both stand at the same version, so that its number tells nothing."""
    admin, run = signed_in(Role.ADMIN), paused()
    shown = page(admin, run)
    seen = {"execution": hidden(shown, "execution"), "expected_version": "1"}
    before_it_is_written(monkeypatch, partial(another, run), service)
    answer = admin.post(url(run, path), fields | seen, follow=True)
    assert STARTED in text(answer)
    assert [row.status for row in Execution.objects.order_by("number")] == ["CANCELLED", "PAUSED"]
    assert not Claim.objects.exists()


def test_a_claim_of_the_list_is_of_the_execution_that_it_shows() -> None:
    reviewer, run = signed_in(Role.REVIEWER), paused()
    seen = hidden(text(reviewer.get("/reviews/")), "execution")
    another(run)
    sent = {"do": "claim", "from": "reviews", "execution": seen}
    assert STARTED in text(reviewer.post(url(run, "claim/"), sent, follow=True))
    assert not Claim.objects.exists()
