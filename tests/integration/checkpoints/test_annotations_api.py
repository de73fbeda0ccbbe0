"""Comments, labels and claims over REST."""

from datetime import timedelta
from typing import Any

import pytest

from checkpoints.domain.retention import RetentionPolicy
from checkpoints.maintenance.thinning import thin
from checkpoints.models import Claim, Label
from checkpoints.store.executions import find_current
from conversations.models import Comment, Conversation
from ctxadmin.accounts.services import system_actor
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Scope
from ctxadmin.lib import clock
from tests.factories import Api, conversation, engine, user, workspace
from tests.integration.checkpoints.flows import Run
from tests.integration.pages.execution_scenes import paused, running

pytestmark = pytest.mark.django_db


def path(run: Run, rest: str) -> str:
    return f"/conversations/{run.head.public_id}/{rest}"


def test_comments_say_what_they_are_about_and_are_listed_in_pages() -> None:
    run, api = paused(), Api()
    for body in ({"message": 0}, {"version": 1}, {"key": "draft"}, {"key": "gone", "version": 0}):
        answer = api.post(path(run, "comments"), {"text": " said ", **body})
        assert answer.status_code == 201, answer.content
    first = api.get(path(run, "comments?limit=3")).json()
    rest = api.get(path(run, f"comments?cursor={first['next']}")).json()
    listed = [*first["results"], *rest["results"]]
    assert [
        {k: v for k, v in each.items() if k in ("message", "version", "key")} for each in listed
    ] == [
        {"message": 0},
        {"version": 1},
        {"version": 1, "key": "draft"},
        {"version": 0, "key": "gone"},
    ]
    assert {each["text"] for each in listed} == {"said"}
    assert api.delete(path(run, f"comments/{listed[0]['number']}")).status_code == 204
    assert api.delete(path(run, f"comments/{listed[0]['number']}")).status_code == 404


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"text": "a"}, "validation"),
        ({"text": " ", "message": 0}, "validation"),
        ({"text": "a" * 10_001, "message": 0}, "validation"),
        ({"text": "a", "message": 0, "version": 0}, "validation"),
        ({"text": "a", "message": -1}, "validation"),
        ({"text": "a", "message": 99}, "out_of_range"),
        ({"text": "a", "version": 99}, "not_found"),
        ({"text": "a", "message": 0, "mood": "sad"}, "validation"),
    ],
)
def test_a_comment_that_cannot_be_is_refused(body: dict[str, Any], code: str) -> None:
    run = paused()
    answer = Api().post(path(run, "comments"), body)
    assert answer.json()["code"] == code
    assert Comment.objects.count() == 0


def test_annotations_change_nothing_that_an_engine_looks_at() -> None:
    run, api = paused(), Api()
    before = run.snapshot(), Conversation.objects.get().updated_at
    api.post(path(run, "comments"), {"text": "a", "message": 0})
    api.put(path(run, "checkpoints/1/label"), {"label": "good"})
    api.post(path(run, "claim"))
    assert (run.snapshot(), Conversation.objects.get().updated_at) == before
    actions = AuditEntry.objects.order_by("seq").values_list("action", flat=True)
    assert list(actions)[-3:] == ["comment.write", "label.set", "review.claim"]
    assert "good" not in "".join(bytes(each.detail).decode() for each in AuditEntry.objects.all())


def test_labels_are_set_listed_and_removed() -> None:
    run, api = paused(), Api()
    assert api.put(path(run, "checkpoints/1/label"), {"label": " good "}).json() == {
        "version": 1,
        "label": "good",
    }
    assert api.get(path(run, "labels")).json()["results"] == [{"version": 1, "label": "good"}]
    assert api.put(path(run, "checkpoints/9/label"), {"label": "x"}).status_code == 404
    assert api.put(path(run, "checkpoints/x/label"), {"label": "x"}).status_code == 404
    assert api.put(path(run, "checkpoints/1/label"), {"label": ""}).status_code == 422
    assert api.delete(path(run, "checkpoints/1/label")).status_code == 204
    assert api.delete(path(run, "checkpoints/1/label")).status_code == 404


def test_a_labelled_version_keeps_its_state_when_others_are_thinned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run, api = running(), Api()
    for number in range(8):
        assert run.complete(f"n{number}").status_code == 201
    api.put(path(run, "checkpoints/3/label"), {"label": "before the trouble"})
    later = clock.now() + timedelta(days=60)
    monkeypatch.setattr(clock, "now", lambda: later)
    row = find_current(Conversation.objects.get().key)
    assert row is not None
    actor = system_actor(workspace(), "tests")
    done = thin(actor, run.head.public_id, row, RetentionPolicy(keep_last=1, hourly_days=0))
    assert done.versions > 0
    assert api.get(path(run, "checkpoints/3")).status_code == 200
    assert api.get(path(run, "checkpoints/4")).status_code == 404


def test_a_claim_is_one_persons_until_it_is_released() -> None:
    run, api = paused(), Api()
    assert api.post(path(run, "claim")).json()["holder"] == "token:test token"
    assert api.post(path(run, "claim")).status_code == 200
    assert Claim.objects.count() == 1
    other = Api([Scope.REVIEW])
    assert other.post(path(run, "claim")).json()["code"] == "version_conflict"
    assert other.post(path(run, "release")).json()["code"] == "version_conflict"
    assert api.post(path(run, "release")).json() == {"holder": None, "claimed_at": None}
    assert other.post(path(run, "claim")).status_code == 200


def test_only_what_is_paused_is_claimed() -> None:
    run = running()
    assert Api().post(path(run, "claim")).json()["code"] == "invalid_state"
    conversation(user("a"), public_id="idle")
    assert Api().post("/conversations/idle/claim").status_code == 404


@pytest.mark.parametrize("scope", [Scope.ENGINE, Scope.DESIGN])
def test_who_does_not_review_only_reads(scope: Scope) -> None:
    run, api = paused(), Api([scope])
    assert api.get(path(run, "comments")).status_code == 200
    assert api.get(path(run, "labels")).status_code == 200
    refused = [
        api.post(path(run, "comments"), {"text": "a", "message": 0}),
        api.delete(path(run, "comments/1")),
        api.put(path(run, "checkpoints/1/label"), {"label": "a"}),
        api.delete(path(run, "checkpoints/1/label")),
        api.post(path(run, "claim")),
        api.post(path(run, "release")),
    ]
    assert {answer.status_code for answer in refused} == {403}


def test_foreign_conversations_are_not_found() -> None:
    conversation(user("x"), actor=engine(slug="other"), public_id="theirs")
    api, one = Api(), "/conversations/theirs"
    answers = [
        api.get(f"{one}/comments"),
        api.post(f"{one}/comments", {"text": "a", "message": 0}),
        api.delete(f"{one}/comments/1"),
        api.get(f"{one}/labels"),
        api.put(f"{one}/checkpoints/0/label", {"label": "a"}),
        api.post(f"{one}/claim"),
    ]
    assert {answer.status_code for answer in answers} == {404}


def test_erasing_a_conversation_takes_its_annotations_along() -> None:
    run, api = paused(), Api()
    api.post(path(run, "comments"), {"text": "a", "message": 0})
    api.put(path(run, "checkpoints/1/label"), {"label": "good"})
    api.post(path(run, "claim"))
    assert api.delete(f"/conversations/{run.head.public_id}").status_code == 204
    assert [table.objects.count() for table in (Comment, Label, Claim)] == [0, 0, 0]
