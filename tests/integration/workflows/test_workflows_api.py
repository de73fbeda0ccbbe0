"""Workflows, drafts and versions as a designer's program calls them."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ctxadmin.accounts.roles import Scope
from ctxadmin.audit.models import AuditEntry
from ctxadmin.audit.record import first_break
from tests.integration.workflows.documents import document, edge, node
from tests.openapi import CheckedApi
from workflows.models import Workflow, WorkflowVersion

pytestmark = pytest.mark.django_db


def assert_problem(answer: Any, status: int, code: str, pointer: str | None = None) -> None:
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (status, code), problem
    if pointer is not None:
        assert pointer in [error["pointer"] for error in problem["errors"]], problem


def put(api: CheckedApi, slug: str, body: Any, version: Any) -> Any:
    return api.put(f"/workflows/{slug}/draft", {"document": body, "expected_version": version})


def publish(api: CheckedApi, slug: str, version: int, **fields: Any) -> Any:
    return api.post(f"/workflows/{slug}/publish", {"expected_version": version, **fields})


def audit_of(slug: str) -> list[AuditEntry]:
    return list(AuditEntry.objects.filter(object_type="workflow", object_id=slug).order_by("seq"))


# -- workflows


def test_a_new_workflow_has_an_empty_draft_of_version_0_and_nothing_published(
    api: CheckedApi,
) -> None:
    answer = api.post("/workflows", {"slug": "flow", "name": "A flow", "description": "for tests"})
    assert answer.status_code == 201
    assert answer["Location"] == "/api/v1/workflows/flow"
    shown = answer.json()
    assert {key: shown[key] for key in ("slug", "name", "description")} == {
        "slug": "flow",
        "name": "A flow",
        "description": "for tests",
    }
    assert (shown["draft_version"], shown["published_version"]) == (0, None)
    draft = api.get("/workflows/flow/draft").json()
    assert draft["document"] == {"name": "A flow", "nodes": [], "edges": []}


def test_a_workflow_without_a_slug_gets_one_and_is_called_by_it(api: CheckedApi) -> None:
    shown = api.post("/workflows", {}).json()
    assert shown["slug"].startswith("workflow_")
    assert shown["name"] == shown["slug"]


@pytest.mark.parametrize("slug", ["", "a b", "x" * 65, "import", "diff", "ä", "a/b"])
def test_a_slug_that_breaks_the_pattern_or_is_reserved_is_refused(
    api: CheckedApi, slug: str
) -> None:
    assert_problem(api.post("/workflows", {"slug": slug}), 422, "validation", "/slug")


def test_a_slug_is_taken_once_in_a_workspace(api: CheckedApi, flow: str) -> None:
    assert_problem(api.post("/workflows", {"slug": flow}), 409, "duplicate", "/slug")
    other = CheckedApi([Scope.DESIGN], slug="elsewhere")
    assert other.post("/workflows", {"slug": flow}).status_code == 201


def test_slugs_are_told_apart_by_case(api: CheckedApi, flow: str) -> None:
    assert api.post("/workflows", {"slug": "FLOW"}).status_code == 201


def test_an_unknown_field_is_named(api: CheckedApi) -> None:
    assert_problem(api.post("/workflows", {"slgu": "x"}), 422, "validation", "/slgu")


def test_name_and_description_can_be_changed_and_the_draft_stays(
    api: CheckedApi, flow: str
) -> None:
    shown = api.patch(f"/workflows/{flow}", {"name": "Other", "description": "new"}).json()
    assert (shown["name"], shown["description"], shown["draft_version"]) == ("Other", "new", 0)
    assert api.get(f"/workflows/{flow}").json() == shown


def test_an_empty_patch_changes_nothing_and_leaves_no_record(api: CheckedApi, flow: str) -> None:
    before = api.get(f"/workflows/{flow}")
    after = api.patch(f"/workflows/{flow}", {})
    assert (after.json(), after["ETag"]) == (before.json(), before["ETag"])
    assert len(audit_of(flow)) == 1


def test_a_patch_of_an_older_state_is_a_conflict(api: CheckedApi, flow: str) -> None:
    seen = api.get(f"/workflows/{flow}")["ETag"]
    assert api.patch(f"/workflows/{flow}", {"name": "A"}, **{"If-Match": seen}).status_code == 200
    again = api.patch(f"/workflows/{flow}", {"name": "B"}, **{"If-Match": seen})
    assert_problem(again, 409, "version_conflict")
    assert (again.json()["expected"], again.json()["actual"]) == (1, 2)
    assert api.get(f"/workflows/{flow}").json()["name"] == "A"


def test_an_if_match_that_was_never_answered_is_refused(api: CheckedApi, flow: str) -> None:
    answer = api.patch(f"/workflows/{flow}", {"name": "A"}, **{"If-Match": "W/x"})
    assert_problem(answer, 422, "validation", "If-Match")


@pytest.mark.parametrize("slug", ["nothing", "FLOW", "a b", "%00", "x" * 65, "ä"])
def test_an_unknown_workflow_is_not_found(api: CheckedApi, flow: str, slug: str) -> None:
    assert_problem(api.get(f"/workflows/{slug}"), 404, "not_found")
    assert_problem(api.get(f"/workflows/{slug}/draft"), 404, "not_found")


def test_another_workspace_sees_and_changes_nothing(api: CheckedApi, flow: str) -> None:
    put(api, flow, document(), 0)
    publish(api, flow, 1)
    other = CheckedApi([Scope.DESIGN], slug="elsewhere")
    assert other.get("/workflows").json()["results"] == []
    for path in ("", "/draft", "/versions", "/versions/1", "/yaml", "/diff?from=1&to=draft"):
        assert_problem(other.get(f"/workflows/{flow}{path}"), 404, "not_found")
    assert_problem(other.patch(f"/workflows/{flow}", {"name": "x"}), 404, "not_found")
    assert_problem(other.delete(f"/workflows/{flow}"), 404, "not_found")
    assert_problem(put(other, flow, document(), 1), 404, "not_found")
    assert_problem(publish(other, flow, 1), 404, "not_found")
    preview = other.post(f"/workflows/{flow}/preview", {"node": "ask", "context": {}})
    assert_problem(preview, 404, "not_found")


@pytest.mark.parametrize("scopes", [[], [Scope.ENGINE], [Scope.REVIEW]], ids=str)
def test_who_may_not_design_reads_and_writes_nothing(
    api: CheckedApi, flow: str, scopes: list[Scope]
) -> None:
    reader = CheckedApi(scopes)
    assert reader.get(f"/workflows/{flow}").status_code == 200
    assert reader.get(f"/workflows/{flow}/draft").status_code == 200
    assert_problem(reader.post("/workflows", {"slug": "new"}), 403, "forbidden")
    assert_problem(reader.patch(f"/workflows/{flow}", {"name": "x"}), 403, "forbidden")
    assert_problem(reader.delete(f"/workflows/{flow}"), 403, "forbidden")
    assert_problem(put(reader, flow, document(), 0), 403, "forbidden")
    assert_problem(publish(reader, flow, 0), 403, "forbidden")
    assert_problem(reader.post("/workflows/import", {"yaml": "nodes: []"}), 403, "forbidden")
    assert len(audit_of(flow)) == 1
    assert Workflow.objects.count() == 1


# -- deleting


def test_a_deleted_workflow_is_gone_and_its_slug_is_free(api: CheckedApi, flow: str) -> None:
    assert api.delete(f"/workflows/{flow}").status_code == 204
    assert_problem(api.get(f"/workflows/{flow}"), 404, "not_found")
    assert_problem(api.delete(f"/workflows/{flow}"), 404, "not_found")
    assert api.get("/workflows").json()["results"] == []
    assert api.post("/workflows", {"slug": flow}).status_code == 201
    assert api.delete(f"/workflows/{flow}").status_code == 204


def test_a_deletion_of_an_older_state_is_a_conflict(api: CheckedApi, flow: str) -> None:
    seen = api.get(f"/workflows/{flow}")["ETag"]
    api.patch(f"/workflows/{flow}", {"name": "A"})
    assert_problem(api.delete(f"/workflows/{flow}", **{"If-Match": seen}), 409, "version_conflict")
    assert api.get(f"/workflows/{flow}").status_code == 200


# -- drafts


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


# -- publishing


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
    assert publish(api, flow, 1).status_code == 201


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


# -- lists


def test_lists_come_in_pages(api: CheckedApi) -> None:
    for name in "cabed":
        api.post("/workflows", {"slug": name})
    first = api.get("/workflows?limit=2").json()
    assert [each["slug"] for each in first["results"]] == ["a", "b"]
    second = api.get(f"/workflows?limit=2&cursor={first['next']}").json()
    third = api.get(f"/workflows?limit=2&cursor={second['next']}").json()
    assert [each["slug"] for each in third["results"]] == ["e"]
    assert third["next"] is None


def test_versions_come_in_pages_the_newest_first(api: CheckedApi, flow: str) -> None:
    for number in range(3):
        put(api, flow, document(name=f"v{number}"), number)
        publish(api, flow, number + 1, note=f"note {number}")
    page = api.get(f"/workflows/{flow}/versions?limit=2").json()
    assert [each["version"] for each in page["results"]] == [3, 2]
    assert page["results"][0]["note"] == "note 2"
    rest = api.get(f"/workflows/{flow}/versions?limit=2&cursor={page['next']}").json()
    assert [each["version"] for each in rest["results"]] == [1]


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "limit=x", "cursor=!", "cursor=WzFd"])
def test_a_page_that_cannot_be_is_refused(api: CheckedApi, flow: str, query: str) -> None:
    name = query.partition("=")[0]
    assert_problem(api.get(f"/workflows?{query}"), 422, "validation", f"?{name}")


def test_the_lists_take_the_same_queries_at_any_length(api: CheckedApi, flow: str) -> None:
    counts = []
    for number in range(12):
        put(api, flow, document(name=f"v{number}"), number)
        publish(api, flow, number + 1)
        api.post("/workflows", {"slug": f"more-{number}"})
        with CaptureQueriesContext(connection) as queries:
            api.get("/workflows")
            api.get(f"/workflows/{flow}/versions")
        counts.append(len(queries))
    assert set(counts) == {5}  # twice the token; the list; the workflow and its versions


# -- differences


def test_the_difference_of_two_versions_is_told_by_element(api: CheckedApi, flow: str) -> None:
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


# -- the audit


def test_every_change_leaves_exactly_one_entry(api: CheckedApi, flow: str) -> None:
    put(api, flow, document(), 0)
    put(api, flow, document(), 0)  # a conflict
    publish(api, flow, 1, note="x")
    publish(api, flow, 1)  # not twice
    api.patch(f"/workflows/{flow}", {"name": "B"})
    api.delete(f"/workflows/{flow}")
    entries = audit_of(flow)
    assert [entry.action for entry in entries] == [
        "workflow.change",
        "workflow.change",
        "workflow.publish",
        "workflow.change",
        "workflow.change",
    ]
    assert [(entry.version_before, entry.version_after) for entry in entries[1:3]] == [
        ("0", "1"),
        ("1", "1"),
    ]
    assert first_break(entries) is None
    assert entries[0].stream == Workflow.objects.get().key


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
