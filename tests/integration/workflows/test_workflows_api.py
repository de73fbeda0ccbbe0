"""Workflows as a designer's program makes, lists, changes and deletes them."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ctxadmin.audit.verification import verify_stream
from ctxadmin.identity.roles import Scope
from tests.integration.workflows.calls import audit_of, publish, put
from tests.integration.workflows.documents import document
from tests.openapi import CheckedApi
from tests.problems import assert_problem
from workflows.models import Workflow

pytestmark = pytest.mark.django_db


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


def test_a_name_of_spaces_is_refused(api: CheckedApi, flow: str) -> None:
    assert_problem(api.post("/workflows", {"name": "   "}), 422, "validation", "/name")
    assert_problem(api.patch(f"/workflows/{flow}", {"name": " "}), 422, "validation", "/name")


@pytest.mark.parametrize("slug", ["", "a b", "x" * 65, "import", "diff", "ä", "a/b"])
def test_a_slug_that_breaks_the_pattern_or_is_reserved_is_refused(
    api: CheckedApi, slug: str
) -> None:
    assert_problem(api.post("/workflows", {"slug": slug}), 422, "validation", "/slug")


def test_a_slug_is_taken_once_in_a_workspace(api: CheckedApi, flow: str) -> None:
    assert_problem(api.post("/workflows", {"slug": flow}), 409, "duplicate", "/slug")
    other = CheckedApi([Scope.DESIGN], slug="elsewhere")
    assert other.post("/workflows", {"slug": flow}).status_code == 201


def test_slugs_are_distinguished_by_case(api: CheckedApi, flow: str) -> None:
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


def test_lists_come_in_pages(api: CheckedApi) -> None:
    for name in "cabed":
        api.post("/workflows", {"slug": name})
    first = api.get("/workflows?limit=2").json()
    assert [each["slug"] for each in first["results"]] == ["a", "b"]
    second = api.get(f"/workflows?limit=2&cursor={first['next']}").json()
    third = api.get(f"/workflows?limit=2&cursor={second['next']}").json()
    assert [each["slug"] for each in third["results"]] == ["e"]
    assert third["next"] is None


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
    assert not verify_stream(entries[0].stream)
    assert entries[0].stream == Workflow.objects.get().key
