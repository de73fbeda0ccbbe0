"""Drafts as a designer's program puts and reads them."""

from typing import Any

import pytest

from tests.integration.workflows.calls import audit_of, patch, put
from tests.integration.workflows.documents import document, edge, node
from tests.openapi import CheckedApi
from tests.problems import assert_problem

pytestmark = pytest.mark.django_db


def test_a_draft_comes_back_as_it_was_put(api: CheckedApi, flow: str) -> None:
    data = {"camelCase": {"x_y": [1, 1.5, None, "é", 2**63]}}
    body = document(
        node("begin", "start", name="Begin", position={"x": 1, "y": -2.5}, properties=data),
        node("ask", "llm", config={"template": "Hi", "freeKey": data}),
        edges=[edge("go", "begin", "ask", weight=0.5, properties=data)],
        reducers={"notes": "append"},
    )
    answer = put(api, flow, body, 0)
    assert answer.json() == {"draft_version": 1, "problems": []}
    draft = api.get(f"/workflows/{flow}/draft")
    assert draft.json() == {"document": body, "draft_version": 1, "problems": []}
    assert answer["ETag"] == draft["ETag"] == '"1"'


def test_the_other_spelling_is_accepted_and_answered_in_the_contracts(
    api: CheckedApi, flow: str
) -> None:
    body = document()
    body["nodes"][1]["contextType"] = "llm_context"
    body["edges"][0] = {"id": "go", "type": "sequence", "fromNodeId": "begin", "toNodeId": "ask"}
    assert put(api, flow, body, 0).status_code == 200
    shown = api.get(f"/workflows/{flow}/draft").json()["document"]
    assert shown["nodes"][1]["context_type"] == "llm_context"
    assert shown["edges"][0]["from"] == "begin"


def test_a_draft_with_problems_is_stored_and_names_them(api: CheckedApi, flow: str) -> None:
    body = document(
        node("begin", "start"),
        node("alone", "llm", context_filter={"rules": [], "default_behaviour": "pass"}),
        edges=[edge("go", "begin", "nowhere", "conditional", condition="context.x ===")],
    )
    answer = put(api, flow, body, 0)
    assert answer.status_code == 200
    found = {(each["code"], each["pointer"]) for each in answer.json()["problems"]}
    assert ("unreachable_node", "/nodes/1") in found
    assert ("dangling_edge", "/edges/0/to") in found
    assert ("bad_condition", "/edges/0/condition") in found
    assert any(pointer.startswith("/nodes/1/context_filter") for _, pointer in found)
    bad = next(each for each in answer.json()["problems"] if each["code"] == "bad_condition")
    assert (bad["line"], bad["edge"]) == (1, "go")
    assert bad["column"] > 1
    assert api.get(f"/workflows/{flow}/draft").json()["problems"] == answer.json()["problems"]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"nodes": [], "edges": []}, "/document/name"),
        ({"name": "x", "nodes": {}, "edges": []}, "/document/nodes"),
        ({"name": "x", "nodes": [{"id": "a"}], "edges": []}, "/document/nodes/0/type"),
        (document(node("a b")), "/document/nodes/0/id"),
        (document(node("a", colour="red")), "/document/nodes/0/colour"),
        (
            document(node("a"), edges=[{"id": "e", "type": "x", "from": "a"}]),
            "/document/edges/0/to",
        ),
        (document(node("a", context_type="x", contextType="y")), "/document/nodes/0"),
        ([], "/document"),
        (None, "/document"),
    ],
)
def test_what_is_no_document_is_refused_with_pointers(
    api: CheckedApi, flow: str, body: Any, pointer: str
) -> None:
    assert_problem(put(api, flow, body, 0), 422, "validation", pointer)
    assert api.get(f"/workflows/{flow}").json()["draft_version"] == 0


def test_a_draft_needs_the_version_that_was_seen(api: CheckedApi, flow: str) -> None:
    answer = api.put(f"/workflows/{flow}/draft", {"document": document()})
    assert_problem(answer, 422, "validation", "/expected_version")
    for wrong in (-1, 1.5, "0", True):
        assert_problem(put(api, flow, document(), wrong), 422, "validation", "/expected_version")


def test_the_etag_of_the_draft_stands_for_the_version(api: CheckedApi, flow: str) -> None:
    etag = api.get(f"/workflows/{flow}/draft")["ETag"]
    body = {"document": document()}
    assert api.put(f"/workflows/{flow}/draft", body, **{"If-Match": etag}).status_code == 200
    late = api.put(f"/workflows/{flow}/draft", body, **{"If-Match": etag})
    assert_problem(late, 409, "version_conflict")
    both = {"document": document(), "expected_version": 1}
    different = api.put(f"/workflows/{flow}/draft", both, **{"If-Match": etag})
    assert_problem(different, 422, "validation", "If-Match")


def test_a_draft_of_an_older_version_is_a_conflict_that_tells_both(
    api: CheckedApi, flow: str
) -> None:
    put(api, flow, document(name="first"), 0)
    answer = put(api, flow, document(name="second"), 0)
    assert_problem(answer, 409, "version_conflict")
    assert (answer.json()["expected"], answer.json()["actual"]) == (0, 1)
    assert api.get(f"/workflows/{flow}/draft").json()["document"]["name"] == "first"


def test_a_draft_over_the_limit_is_too_large(api: CheckedApi, flow: str, settings: Any) -> None:
    settings.MAX_BODY_BYTES = 2000
    body = document(node("begin", "start", config={"template": "x" * 2000}))
    assert_problem(put(api, flow, body, 0), 413, "too_large")


def test_elements_of_a_draft_are_changed_by_their_ids(api: CheckedApi, flow: str) -> None:
    put(api, flow, document(reducers={"notes": "append"}), 0)
    changes: dict[str, Any] = {
        "name": "Renamed",
        "nodes": {
            "changed": {"ask": node("ask", "llm", name="Ask")},
            "added": [{"at": 1, "element": node("between", "tool")}],
        },
        "edges": {
            "removed": ["go"],
            "added": [
                {"at": 0, "element": edge("in", "begin", "between")},
                {"at": 1, "element": edge("out", "between", "ask")},
            ],
        },
    }
    answer = patch(api, flow, changes, 1)
    assert answer.json() == {"draft_version": 2, "problems": []}
    draft = api.get(f"/workflows/{flow}/draft")
    assert answer["ETag"] == draft["ETag"]
    assert draft.json()["document"] == document(
        node("begin", "start"),
        node("between", "tool"),
        node("ask", "llm", name="Ask"),
        edges=[edge("in", "begin", "between"), edge("out", "between", "ask")],
        name="Renamed",
        reducers={"notes": "append"},
    )
    assert len(audit_of(flow)) == 3


def test_elements_of_one_id_are_changed_one_by_one(api: CheckedApi, flow: str) -> None:
    put(api, flow, document(node("twin", "start"), node("twin", "llm"), node("twin", "tool")), 0)
    changed = {"twin~2": node("other", "llm")}
    patch(api, flow, {"nodes": {"changed": changed, "removed": ["twin"]}, "reducers": {}}, 1)
    nodes = api.get(f"/workflows/{flow}/draft").json()["document"]["nodes"]
    assert nodes == [node("other", "llm"), node("twin", "tool")]


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        (None, "/changes"),
        ([], "/changes"),
        ({"surprise": 1}, "/changes/surprise"),
        ({"nodes": {"removed": ["nobody"]}}, "/changes/nodes/removed"),
        ({"edges": {"changed": {"nobody": edge("go", "a", "b")}}}, "/changes/edges/changed"),
        ({"nodes": {"changed": {"ask": {"id": "ask"}}}}, "/changes/nodes/changed/ask/type"),
        (
            {"nodes": {"added": [{"at": 0, "element": node("a b")}]}},
            "/changes/nodes/added/0/element/id",
        ),
        ({"nodes": {"added": [{"at": -1, "element": node("a")}]}}, "/changes/nodes/added/0/at"),
        (
            {"nodes": {"added": [{"at": 0, "element": node("a")}] * 10_001}},
            "/changes/nodes/added",
        ),
        (
            {"nodes": {"added": [{"at": 0, "element": node("a")}] * 9_999}},
            "/changes/nodes",
        ),
    ],
)
def test_what_is_no_change_is_refused_with_pointers(
    api: CheckedApi, flow: str, changes: Any, pointer: str
) -> None:
    put(api, flow, document(), 0)
    assert_problem(patch(api, flow, changes, 1), 422, "validation", pointer)
    assert api.get(f"/workflows/{flow}").json()["draft_version"] == 1


def test_changes_of_an_older_draft_are_a_conflict(api: CheckedApi, flow: str) -> None:
    put(api, flow, document(), 0)
    put(api, flow, document(name="theirs"), 1)
    answer = patch(api, flow, {"name": "mine"}, 1)
    assert_problem(answer, 409, "version_conflict")
    assert (answer.json()["expected"], answer.json()["actual"]) == (1, 2)
    assert_problem(
        api.patch(f"/workflows/{flow}/draft", {"changes": {}}),
        422,
        "validation",
        "/expected_version",
    )
    assert api.get(f"/workflows/{flow}/draft").json()["document"]["name"] == "theirs"


def test_a_workflow_starts_with_a_template(api: CheckedApi) -> None:
    answer = api.post("/workflows", {"slug": "fresh", "name": "Mine", "start_with": "review"})
    assert answer.status_code == 201
    assert answer.json()["draft_version"] == 1
    draft = api.get("/workflows/fresh/draft").json()
    assert draft["document"]["name"] == "Mine"
    assert "approve" in [node["id"] for node in draft["document"]["nodes"]]
    assert all(each["severity"] == "note" for each in draft["problems"])
    refused = api.post("/workflows", {"start_with": "surprise"})
    assert refused.status_code == 422
