"""Metadata, parents and namespaces of checkpoints over REST, and the list by them."""

from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from checkpoints.models import Checkpoint, CheckpointDetails
from checkpoints.reading import checkpoint_list
from checkpoints.reading.checkpoint_list import CheckpointQuery, checkpoints_page
from checkpoints.verification.conversation import verify_conversation
from conversations.store.verification import Unsummed
from ctxadmin.http.endpoints.pagination import PageRequest
from ctxadmin.identity.roles import Role, Scope
from tests.factories import Api, conversation, engine, signed_in, user
from tests.integration.checkpoints.flows import Run, ok, refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    return Run(Api([Scope.ENGINE]), conversation())


def found(run: Run, query: str) -> list[Any]:
    """The ids of the checkpoints that a list has, the newest first."""
    return [each["checkpoint_id"] for each in ok(run.get(f"checkpoints?{query}"))["results"]]


def save_some(run: Run) -> None:
    """Four checkpoints: two at the top, two of a namespace."""
    ok(run.save("c1", metadata={"source": "input", "step": -1, "by": {"a": [1]}}))
    ok(run.save("c2", metadata={"source": "loop", "step": 0}, parent="c1", state_data={"k": 2}))
    ok(run.save("c3", namespace="sub:1|x", metadata={"source": "input", "step": "0"}))
    ok(run.save("c4", namespace="sub:1|x", parent="c3", metadata={"step": 1, "x.y": True}))


def test_the_metadata_of_a_checkpoint_are_in_the_list(run: Run) -> None:
    save_some(run)
    newest, *_, start = run.versions()
    told = {"metadata": {"step": 1, "x.y": True}, "parent": "c3", "namespace": "sub:1|x"}
    assert {name: newest[name] for name in told} == told
    assert (start["metadata"], start["parent"], start["namespace"]) == ({}, None, "")


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("id=c2", ["c2"]),
        ("id=unknown", []),
        ("id=c2&namespace=sub:1", []),
        ("namespace=", ["c2", "c1", None]),
        (f"namespace={quote('sub:1|x')}", ["c4", "c3"]),
        ("metadata.source=input", ["c3", "c1"]),
        ("metadata.step=0", ["c2"]),
        ("metadata.step=%220%22", ["c3"]),
        ("metadata.source=input&metadata.step=-1", ["c1"]),
        ("metadata.x.y=true", ["c4"]),
        ("metadata.by=%7B%22a%22:%5B1%5D%7D", ["c1"]),
        ("metadata.none=null", []),
        ("before=c3", ["c2", "c1", None]),
        ("before=2", ["c1", None]),
        ("before=c4&metadata.source=input&limit=1", ["c3"]),
        ("id=c2&before=c2", []),
    ],
)
def test_the_list_is_filtered(run: Run, query: str, ids: list[str | None]) -> None:
    save_some(run)
    assert found(run, query) == ids


@pytest.mark.parametrize(
    ("query", "pointer"),
    [("before=unknown", "?before"), ("include=all", "?include"), ("metadata=1", "?metadata")],
)
def test_a_query_that_is_not_known_is_refused(run: Run, query: str, pointer: str) -> None:
    save_some(run)
    refused(run.get(f"checkpoints?{query}"), 422, "validation", pointer)


def test_filtered_pages_follow_each_other(run: Run) -> None:
    for number in range(1, 8):
        ok(run.save(f"c{number}", metadata={"odd": number % 2 == 1}))
    ids: list[Any] = []
    query = "checkpoints?metadata.odd=true&limit=2"
    cursor: str | None = ""
    while cursor is not None:
        page = ok(run.get(f"{query}&cursor={cursor}" if cursor else query))
        ids += [each["checkpoint_id"] for each in page["results"]]
        cursor = page["next"]
    assert ids == ["c7", "c5", "c3", "c1"]


def test_a_call_looks_at_so_many_versions_and_says_where_it_continues(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(1, 8):
        ok(run.save(f"c{number}", metadata={"first": number == 1}))
    monkeypatch.setattr(checkpoint_list, "BLOCK", 2)
    monkeypatch.setattr(checkpoint_list, "MOST_SCANNED", 4)
    page = ok(run.get("checkpoints?metadata.first=true&limit=1"))
    assert (page["results"], page["next"] is None) == ([], False)
    page = ok(run.get(f"checkpoints?metadata.first=true&limit=1&cursor={page['next']}"))
    assert [each["checkpoint_id"] for each in page["results"]] == ["c1"]


def test_states_come_with_the_list(run: Run) -> None:
    ok(run.save("c1", state_data={"k": 1}, messages=[user("one")]))
    ok(run.save("c2", state_data={"k": 2, "l": [1]}))
    page = ok(run.get("checkpoints?include=state"))
    for each in page["results"]:
        one = ok(run.get(f"checkpoints/{each['version']}"))
        assert each["state_data"] == one["state_data"]
    assert page["results"][0]["state_data"]["l"] == [1]
    assert "state_data" not in run.versions()[0]


def test_a_page_with_states_ends_early_rather_than_grow_without_bound(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(1, 4):
        ok(run.save(f"c{number}", state_data={"k": str(number) * 3000}))
    monkeypatch.setattr(checkpoint_list, "MOST_BYTES", 2000)
    first = ok(run.get("checkpoints?include=state"))
    assert [each["checkpoint_id"] for each in first["results"]] == ["c3"]
    second = ok(run.get(f"checkpoints?include=state&cursor={first['next']}"))
    assert [each["checkpoint_id"] for each in second["results"]] == ["c2"]


def test_metadata_belong_to_the_body_by_which_a_repeat_is_known(run: Run) -> None:
    ok(run.save("c1", metadata={"a": 1}))
    assert run.save("c1", metadata={"a": 1}).status_code == 200
    refused(run.save("c1", metadata={"a": 2}), 409, "duplicate")


@pytest.mark.parametrize(
    ("field", "status", "code"),
    [
        ({"metadata": {"a": "x" * 70_000}}, 413, "too_large"),
        ({"metadata": []}, 422, "validation"),
        ({"parent": "not an id"}, 422, "validation"),
        ({"namespace": "n" * 1001}, 422, "validation"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_name(
    run: Run, field: dict[str, Any], status: int, code: str
) -> None:
    refused(run.save("c1", **field), status, code, f"/{next(iter(field))}")
    assert not Checkpoint.objects.filter(conversation=run.head.key).exists()


def test_a_save_without_details_writes_no_row_and_asks_nothing_more(run: Run) -> None:
    ok(run.save("c0"))
    with CaptureQueriesContext(
        connection,
    ) as plain:
        ok(run.save("c1"))
    assert not CheckpointDetails.objects.exists()
    with CaptureQueriesContext(connection) as detailed:
        ok(run.save("c2", metadata={"a": 1}))
    assert len(detailed) <= len(plain) + 1


def test_a_list_asks_once_for_all_details(run: Run) -> None:
    save_some(run)
    actor = engine(Scope.ENGINE)
    with CaptureQueriesContext(connection) as queries:
        checkpoints_page(actor, run.head.public_id, CheckpointQuery(), PageRequest())
    assert len(queries) == 4


def test_a_fork_has_the_details_of_its_versions(run: Run) -> None:
    save_some(run)
    fork = ok(run.by(Scope.REVIEW).post("checkpoints/2/fork", {"id": "fork"}))
    copied = run.api.get(f"/conversations/{fork['id']}/checkpoints?metadata.source=loop").json()
    assert [(each["version"], each["parent"]) for each in copied["results"]] == [(2, "c1")]
    assert CheckpointDetails.objects.count() == 4 + 2


def test_an_erasure_takes_the_details_along(run: Run) -> None:
    save_some(run)
    assert Api().delete(run.path).status_code == 204
    assert not CheckpointDetails.objects.exists()


def damage() -> None:
    CheckpointDetails.objects.filter(version=2).update(metadata=b'{"source":"forged"}')


def lose() -> None:
    CheckpointDetails.objects.filter(version=2).delete()


@pytest.mark.parametrize("harm", [damage, lose])
def test_damaged_details_are_refused_and_found(run: Run, harm: Any) -> None:
    save_some(run)
    run.head.refresh_from_db()
    assert [*verify_conversation(run.head, Unsummed())] == []
    harm()
    for path in ("checkpoints", "checkpoints?metadata.source=loop"):
        answer = run.get(path)
        assert (answer.status_code, answer.json()["code"]) == (409, "damaged")
    assert "details of version 2" in " ".join(
        each.what for each in verify_conversation(run.head, Unsummed())
    )


def test_the_page_of_a_version_shows_its_metadata(run: Run) -> None:
    save_some(run)
    viewer, path = signed_in(Role.VIEWER), f"/executions/{run.head.public_id}/versions"
    page = viewer.get(f"{path}/4/").content.decode()
    for text in ("sub:1|x", "Parent checkpoint", ">c3</a>", "x.y"):
        assert text in page
    assert "Parent checkpoint" not in viewer.get(f"{path}/0/").content.decode()
