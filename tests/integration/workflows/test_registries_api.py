"""What is registered: processors, transforms, reducers, JSON Schemas."""

import pytest
from jsonschema import Draft202012Validator

from tests.integration.workflows.documents import document
from tests.openapi import CheckedApi
from workflows.domain.filters.context_types import CONTEXT_TYPES

pytestmark = [pytest.mark.django_db, pytest.mark.only("sqlite")]  # what is listed is in the code


@pytest.fixture
def api(db: None) -> CheckedApi:
    """A token without any scope: every token reads."""
    return CheckedApi([])


def test_the_processors_are_the_context_types_and_what_was_added(api: CheckedApi) -> None:
    listed = {each["name"]: each for each in api.get("/processors").json()["results"]}
    assert set(CONTEXT_TYPES) <= set(listed)
    assert listed["llm_context"]["origin"] == "builtin"
    assert listed["llm_context"]["description"]


def test_the_transforms_are_reported_with_what_they_do(api: CheckedApi) -> None:
    listed = {each["name"]: each for each in api.get("/transforms").json()["results"]}
    assert {"uppercase", "truncate", "json"} <= set(listed)
    assert all(each["description"] for each in listed.values())


def test_the_reducers_are_reported_with_the_keys_that_have_them(api: CheckedApi) -> None:
    listed = {each["name"]: each for each in api.get("/reducers").json()["results"]}
    assert set(listed) == {"append", "overwrite", "merge", "increment", "add_by_id", "max"}
    assert listed["append"]["default_for"] == ["messages", "execution_history"]


@pytest.mark.parametrize("path", ["/processors", "/transforms", "/reducers", "/schemas"])
def test_every_list_comes_in_pages(api: CheckedApi, path: str) -> None:
    whole = api.get(path).json()
    assert whole["next"] is None
    page = api.get(f"{path}?limit=2").json()
    rest = api.get(f"{path}?cursor={page['next']}").json()
    assert page["results"] + rest["results"] == whole["results"]
    assert api.get(f"{path}?limit=0").json()["code"] == "validation"
    assert api.get(f"{path}?cursor=WzFd").json()["code"] == "validation"


def test_every_schema_that_is_listed_is_a_json_schema(api: CheckedApi) -> None:
    listed = api.get("/schemas").json()["results"]
    names = [each["name"] for each in listed]
    assert {"workflow", "node", "edge", "context_filter", "edge_filter", "operation"} <= set(names)
    assert {"message", "conversation", "prompt_context"} <= set(names)
    for each in listed:
        schema = api.get(each["url"].removeprefix("/api/v1")).json()
        Draft202012Validator.check_schema(schema)
        assert schema["$id"] == each["url"]
        assert each["description"]


def test_the_schema_of_a_workflow_takes_a_document_and_refuses_another(api: CheckedApi) -> None:
    schema = Draft202012Validator(api.get("/schemas/workflow").json())
    assert schema.is_valid(document())
    assert not schema.is_valid({"name": "x", "nodes": [{"id": "a"}], "edges": []})


def test_an_unknown_schema_is_not_found_with_a_hint(api: CheckedApi) -> None:
    problem = api.get("/schemas/workflows").json()
    assert (problem["status"], problem["code"]) == (404, "not_found")
    assert "'workflow'" in problem["detail"]
