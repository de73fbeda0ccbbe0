"""Published versions: how a draft becomes one, and how two differ."""

import pytest

from tests.integration.workflows.calls import publish, put
from tests.integration.workflows.documents import document, edge, node
from tests.openapi import CheckedApi
from tests.problems import assert_problem
from workflows.models import WorkflowVersion

pytestmark = pytest.mark.django_db


def test_publishing_makes_the_draft_a_version(api: CheckedApi, flow: str) -> None:
    put(api, flow, document(), 0)
    answer = publish(api, flow, 1, note="first")
    assert answer.status_code == 201
    assert (answer.json()["version"], answer.json()["note"]) == (1, "first")
    assert answer["Location"] == f"/api/v1/workflows/{flow}/versions/1"
    shown = api.get(f"/workflows/{flow}").json()
    assert (shown["draft_version"], shown["published_version"]) == (1, 1)
    assert shown["published_draft_version"] == 1
    version = api.get(f"/workflows/{flow}/versions/1").json()
    assert version["document"] == document()
    assert version["author"] == "token:test token"


def test_a_version_never_changes(api: CheckedApi, flow: str) -> None:
    put(api, flow, document(name="one"), 0)
    publish(api, flow, 1)
    before = api.get(f"/workflows/{flow}/versions/1").content
    put(api, flow, document(name="two"), 1)
    publish(api, flow, 2)
    api.patch(f"/workflows/{flow}", {"name": "renamed"})
    assert api.get(f"/workflows/{flow}/versions/1").content == before
    for method in ("put", "patch", "post"):
        answer = api.send(method, f"/workflows/{flow}/versions/1", {"document": document()})
        assert_problem(answer, 405, "method_not_allowed")
    assert_problem(api.delete(f"/workflows/{flow}/versions/1"), 405, "method_not_allowed")


def test_a_draft_with_errors_is_not_published_and_names_all_of_them(
    api: CheckedApi, flow: str
) -> None:
    body = document(
        node("begin", "start"),
        node("alone", context_type="lmm_context"),
        edges=[edge("go", "begin", "nowhere")],
    )
    put(api, flow, body, 0)
    answer = publish(api, flow, 1)
    assert_problem(answer, 422, "validation", "/nodes/1")
    pointers = {error["pointer"] for error in answer.json()["errors"]}
    assert {"/nodes/1", "/nodes/1/context_type", "/edges/0/to"} <= pointers
    assert api.get(f"/workflows/{flow}").json()["published_version"] is None


def test_the_empty_draft_of_the_beginning_is_not_published(api: CheckedApi, flow: str) -> None:
    assert_problem(publish(api, flow, 0), 422, "validation", "/nodes")


def test_warnings_and_notes_do_not_refuse_publishing(api: CheckedApi, flow: str) -> None:
    body = document(
        node("begin", "start"),
        node("again"),
        edges=[edge("go", "begin", "again"), edge("loop", "again", "again")],
    )
    problems = put(api, flow, body, 0).json()["problems"]
    assert [each["code"] for each in problems] == ["cycle"]
    answer = publish(api, flow, 1)
    assert answer.status_code == 201
    assert answer.json()["problems"] == problems


def test_publishing_needs_the_version_that_was_seen(api: CheckedApi, flow: str) -> None:
    put(api, flow, document(), 0)
    missing = api.post(f"/workflows/{flow}/publish", {})
    assert_problem(missing, 422, "validation", "/expected_version")
    stale = publish(api, flow, 0)
    assert_problem(stale, 409, "version_conflict")
    assert (stale.json()["expected"], stale.json()["actual"]) == (0, 1)


def test_one_draft_is_published_once(api: CheckedApi, flow: str) -> None:
    put(api, flow, document(), 0)
    assert publish(api, flow, 1).status_code == 201
    assert_problem(publish(api, flow, 1), 409, "invalid_state")
    assert WorkflowVersion.objects.count() == 1


def test_a_repeated_call_with_its_key_publishes_once(api: CheckedApi, flow: str) -> None:
    put(api, flow, document(), 0)
    key = {"Idempotency-Key": "once"}
    body = {"expected_version": 1}
    first = api.post(f"/workflows/{flow}/publish", body, **key)
    again = api.post(f"/workflows/{flow}/publish", body, **key)
    assert first.status_code == again.status_code == 201
    assert first.content == again.content
    assert again["Location"] == first["Location"]
    other = api.post(f"/workflows/{flow}/publish", {"expected_version": 2}, **key)
    assert_problem(other, 409, "duplicate", "Idempotency-Key")


@pytest.mark.parametrize("number", ["0", "2", "99999999999999999999", "-1", "x", "1.0"])
def test_an_unknown_version_is_not_found(api: CheckedApi, flow: str, number: str) -> None:
    put(api, flow, document(), 0)
    publish(api, flow, 1)
    assert_problem(api.get(f"/workflows/{flow}/versions/{number}"), 404, "not_found")


def test_versions_come_in_pages_the_latest_first(api: CheckedApi, flow: str) -> None:
    for number in range(3):
        put(api, flow, document(name=f"v{number}"), number)
        publish(api, flow, number + 1, note=f"note {number}")
    page = api.get(f"/workflows/{flow}/versions?limit=2").json()
    assert [each["version"] for each in page["results"]] == [3, 2]
    assert page["results"][0]["note"] == "note 2"
    rest = api.get(f"/workflows/{flow}/versions?limit=2&cursor={page['next']}").json()
    assert [each["version"] for each in rest["results"]] == [1]


def test_the_difference_of_two_versions_is_reported_by_element(api: CheckedApi, flow: str) -> None:
    put(api, flow, document(), 0)
    publish(api, flow, 1)
    body = document(
        node("begin", "start"),
        node("ask", "llm", config={"template": "Hi"}),
        node("check", "decision"),
        edges=[edge("go", "begin", "ask"), edge("on", "ask", "check")],
        reducers={"notes": "append"},
    )
    put(api, flow, body, 1)
    answer = api.get(f"/workflows/{flow}/diff?from=1&to=draft").json()
    found = {(each["element"], each["id"]): each for each in answer["results"]}
    assert set(found) == {("node", "ask"), ("node", "check"), ("edge", "on"), ("reducer", "notes")}
    assert found["node", "ask"]["fields"] == [
        {"path": "/config", "kind": "added", "after": {"template": "Hi"}}
    ]
    assert found["node", "check"]["kind"] == "added"
    assert found["reducer", "notes"]["after"] == "append"
    publish(api, flow, 2)
    same = api.get(f"/workflows/{flow}/diff?from=1&to=2").json()
    assert same == answer
    back = api.get(f"/workflows/{flow}/diff?from=2&to=1").json()["results"]
    assert ("removed", "check") in {(each["kind"], each["id"]) for each in back}


def test_a_long_difference_comes_in_pages(api: CheckedApi, flow: str) -> None:
    put(api, flow, document(), 0)
    publish(api, flow, 1)
    names = [f"n{number}" for number in range(5)]
    body = document(*(node(name, "start") for name in names))
    put(api, flow, body, 1)
    path = f"/workflows/{flow}/diff?from=1&to=draft"
    whole = api.get(path).json()["results"]
    page = api.get(f"{path}&limit=3").json()
    rest = api.get(f"{path}&limit=1000&cursor={page['next']}").json()
    assert page["results"] + rest["results"] == whole
    assert len(whole) > 5


@pytest.mark.parametrize(
    ("query", "status", "code", "pointer"),
    [
        ("from=1", 422, "validation", "?to"),
        ("to=1", 422, "validation", "?from"),
        ("from=x&to=draft", 422, "validation", "?from"),
        ("from=draft&to=-1", 422, "validation", "?to"),
        ("from=7&to=draft", 404, "not_found", None),
    ],
)
def test_a_difference_of_what_is_not_there_is_refused(
    api: CheckedApi, flow: str, query: str, status: int, code: str, pointer: str | None
) -> None:
    assert_problem(api.get(f"/workflows/{flow}/diff?{query}"), status, code, pointer)
