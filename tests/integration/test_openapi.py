"""The OpenAPI document and its pages: valid, complete, and true of every endpoint that there is."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver
from django.utils import translation
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from ctxadmin.http import openapi, problems
from ctxadmin.http.described import description_of
from ctxadmin.http.error_catalogue import CATALOGUE
from ctxadmin.lib import errors, ids
from ctxadmin.ui.schema_rows import example_of, kind_of, rows_of
from tests.openapi import contract

# The paths of the contract, app by app; names in braces do not matter.
CONTRACT = {
    "conversations": {
        "/conversations": "GET POST",
        "/conversations/{id}": "GET PATCH DELETE",
        "/conversations/{id}/messages": "GET POST",
        "/conversations/{id}/messages/{message}": "GET",
        "/conversations/{id}/messages/pop": "POST",
        "/conversations/{id}/operations": "POST",
        "/conversations/{id}/batches": "GET POST",
        "/conversations/{id}/rollback": "POST",
        "/conversations/{id}/restore": "POST",
        "/conversations/{id}/diff": "GET",
        "/conversations/{id}/export": "GET",
        "/conversations/import": "POST",
        "/processor-configs/validate": "POST",
        "/processor-configs/migrate": "POST",
    },
    "workflows": {
        "/workflows": "GET POST",
        "/workflows/{slug}": "GET PATCH DELETE",
        "/workflows/{slug}/draft": "GET PUT PATCH",
        "/workflows/{slug}/publish": "POST",
        "/workflows/{slug}/versions": "GET",
        "/workflows/{slug}/versions/{n}": "GET",
        "/workflows/{slug}/diff": "GET",
        "/workflows/{slug}/yaml": "GET",
        "/workflows/import": "POST",
        "/workflows/{slug}/preview": "POST",
        "/filters/apply": "POST",
        "/filters/join": "POST",
        "/conditions/check": "POST",
        "/processors": "GET",
        "/reducers": "GET",
        "/schemas": "GET",
        "/schemas/{name}": "GET",
    },
    "checkpoints": {
        "/conversations/{id}/executions": "POST",
        "/conversations/{id}/snapshot": "GET PATCH",
        "/conversations/{id}/checkpoints": "GET",
        "/conversations/{id}/checkpoints/diff": "GET",
        "/conversations/{id}/nodes/{node_id}/enter": "POST",
        "/conversations/{id}/nodes/{node_id}/complete": "POST",
        "/conversations/{id}/pause": "POST",
        "/conversations/{id}/resume": "POST",
        "/conversations/{id}/cancel": "POST",
        "/conversations/{id}/approve": "POST",
        "/conversations/{id}/reject": "POST",
        "/conversations/{id}/checkpoints/{version}/restore": "POST",
        "/conversations/{id}/checkpoints/{version}/fork": "POST",
    },
}


def plain(path: str) -> str:
    return re.sub(r"\{\w+\}", "{}", path)


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in contract()["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_the_document_is_valid_openapi_3_1() -> None:
    validate(contract())
    assert contract()["openapi"].startswith("3.1")


@pytest.mark.django_db
@pytest.mark.only("sqlite")
def test_the_document_is_served_as_json_without_a_token() -> None:
    answer = Client().get("/api/schema")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    assert answer.json() == contract()
    assert Client().post("/api/schema").status_code == 405


@pytest.mark.parametrize("app", CONTRACT)
def test_every_path_of_the_contract_is_there(app: str) -> None:
    found: dict[str, set[str]] = {}
    for path, method, _ in operations():
        place = plain(path.removeprefix("/api/v1"))
        found.setdefault(place, set()).add(method.upper())
    missing = {
        path: sorted(set(methods.split()) - found.get(plain(path), set()))
        for path, methods in CONTRACT[app].items()
    }
    assert not {path: methods for path, methods in missing.items() if methods}


def test_every_handler_says_what_it_takes_and_answers() -> None:
    silent = [f"{m} {path}" for path, m, handler in openapi.operations() if not described(handler)]
    assert not silent


def described(handler: object) -> bool:
    return description_of(handler) is not None


def test_operations_have_names_of_their_own_and_a_summary() -> None:
    names = [operation["operationId"] for _, _, operation in operations()]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z0-9_]+", name) for name in names)
    assert all(operation["summary"] for _, _, operation in operations())


def test_operations_belong_to_the_parts_of_the_contract() -> None:
    tags = {operation["tags"][0] for _, _, operation in operations()}
    assert tags <= set(openapi.TAGS.values())


def test_every_operation_takes_a_token_or_a_session() -> None:
    for path, method, operation in operations():
        assert operation["security"] == [{"token": []}, {"session": []}], (method, path)


def test_every_parameter_of_a_path_is_described() -> None:
    for path, _, operation in operations():
        for parameter in operation.get("parameters", ()):
            if parameter["in"] == "path":
                assert parameter["description"], (path, parameter["name"])


def test_every_model_has_a_description() -> None:
    silent = [
        name
        for name, schema in contract()["components"]["schemas"].items()
        if schema.get("type") == "object" and not schema.get("description")
    ]
    assert not silent


def test_every_property_has_a_description() -> None:
    silent = [
        f"{name}.{field}"
        for name, model in contract()["components"]["schemas"].items()
        for field, schema in properties_within(model)
        if not schema.get("description")
    ]
    assert not silent


def properties_within(schema: object) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every property of a schema and of the schemas inside it, with its name."""
    if isinstance(schema, list):
        for each in schema:
            yield from properties_within(each)
    elif isinstance(schema, dict):
        yield from schema.get("properties", {}).items()
        for key, each in schema.items():
            if key == "properties":
                yield from properties_within(list(each.values()))
            elif key not in ("examples", "default", "enum", "const"):
                yield from properties_within(each)


def test_every_example_of_a_property_is_one_that_its_schema_takes() -> None:
    whole = {"components": contract()["components"]}
    for name, model in contract()["components"]["schemas"].items():
        for field, schema in properties_within(model):
            for example in schema.get("examples", ()):
                wrong = list(Draft202012Validator({**schema, **whole}).iter_errors(example))
                assert not wrong, (name, field, wrong)


@pytest.mark.parametrize("name", ["IncomingMessage", "MessageAnswer", "SeenMessageAnswer"])
def test_a_message_declares_the_fields_of_its_formats(name: str) -> None:
    schemas = contract()["components"]["schemas"]
    fields = schemas[name]["properties"]
    assert {"role", "content", "tool_calls", "tool_call_id", "name", "metadata"} <= fields.keys()
    assert "#/components/schemas/ContentPart" in json.dumps(fields["content"])
    assert {"type", "text"} <= schemas["ContentPart"]["properties"].keys()
    assert {"id", "type", "function"} <= schemas["ToolCall"]["properties"].keys()


@pytest.mark.parametrize("body", ["SaveCheckpoint", "CompleteNode"])
def test_messages_that_come_with_a_checkpoint_are_described_as_those_of_the_log(body: str) -> None:
    schema = contract()["components"]["schemas"][body]["properties"]["messages"]
    assert schema["items"] == {"$ref": "#/components/schemas/IncomingMessage"}


def test_the_document_is_english_after_a_chinese_reader() -> None:
    openapi.document.cache_clear()
    with translation.override("zh-hans"):
        first = openapi.document()
    assert json.loads(first) == contract()


def test_ids_that_callers_choose_have_the_pattern_that_is_enforced() -> None:
    schemas = contract()["components"]["schemas"]
    node = schemas["Node"]["properties"]["id"]
    slug = schemas["CreateWorkflow"]["properties"]["slug"]["anyOf"][0]
    for text in ("a-1_B", "x" * 64, "x" * 65, "", "a b", "ä", "import", "diff"):
        assert Draft202012Validator(node).is_valid(text) == ids.is_public_id(text)
        is_free = ids.is_public_id(text) and not ids.is_reserved(text)
        assert Draft202012Validator(slug).is_valid(text) == is_free


def test_components_have_unique_plain_names_as_titles() -> None:
    for name, schema in contract()["components"]["schemas"].items():
        assert schema["title"] == name
        assert "__" not in name


# -- headers and problems


def test_every_answer_names_the_headers_that_a_caller_acts_on() -> None:
    for path, method, operation in operations():
        answers = operation["responses"]
        place = (method, path)
        assert "WWW-Authenticate" in answers["401"]["headers"], place
        assert "Retry-After" in answers["429"]["headers"], place
        assert "Retry-After" in answers["503"]["headers"], place
        assert "X-Request-ID" in answers["500"]["headers"], place


def test_a_condition_and_a_key_name_the_problem_that_they_lead_to() -> None:
    wanted = {"If-Match": "version_conflict", "Idempotency-Key": "duplicate"}
    for path, method, operation in operations():
        for parameter in operation["parameters"]:
            code = wanted.get(parameter["name"])
            if code:
                assert f"`{code}`" in operation["responses"]["409"]["description"], (method, path)


def test_every_call_takes_a_trace_and_an_id_of_the_request() -> None:
    for path, method, operation in operations():
        names = {each["name"] for each in operation["parameters"] if each["in"] == "header"}
        assert {"traceparent", "X-Request-ID"} <= names, (method, path)


# -- errors


def test_the_catalogue_holds_every_code_with_the_status_that_it_is_answered_with() -> None:
    assert set(CATALOGUE) == set(problems.TITLES)
    assert set(errors.KINDS) <= set(CATALOGUE)
    kinds: list[errors.ContextError] = [
        errors.ValidationFailed("x"),
        errors.OutOfRange("x"),
        errors.NotFound("x"),
        errors.InvalidState("x"),
        errors.TypeMismatch("x", key="k"),
        errors.VersionConflict("x", expected=0, actual=1),
        errors.Duplicate("x"),
        errors.Forbidden("x"),
        errors.IncompatibleContext("x"),
        errors.TooLarge("x"),
        errors.Damaged("The stored message 0 is missing.", what="message", place="0"),
        errors.Unavailable("x"),
    ]
    assert {kind.code for kind in kinds} == set(errors.KINDS)
    for kind in kinds:
        assert CATALOGUE[kind.code].status == problems.status_of(kind)


@pytest.mark.django_db
@pytest.mark.only("sqlite")
def test_the_type_of_every_problem_leads_to_its_explanation() -> None:
    page = Client().get("/api/docs/errors").content.decode()
    for code in CATALOGUE:
        link = json.loads(problems.problem(400, code, "x").content)["type"]
        place, _, anchor = link.partition("#")
        assert place == "/api/docs/errors"
        assert page.count(f'id="{anchor}"') == 1


# -- pages


@pytest.mark.django_db
@pytest.mark.only("sqlite")
def test_the_page_lists_every_operation_and_needs_no_one_signed_in() -> None:
    page = Client().get("/api/docs").content.decode()
    for path, _, operation in operations():
        assert f"/api/docs/{operation['operationId']}" in page
        assert path in page


@pytest.mark.django_db
@pytest.mark.only("sqlite")
def test_every_operation_has_a_page() -> None:
    client = Client()
    for path, _, operation in operations():
        answer = client.get(f"/api/docs/{operation['operationId']}")
        assert answer.status_code == 200
        text = answer.content.decode()
        assert f'data-path="{path}"' in text
        for parameter in operation.get("parameters", ()):
            assert f'name="{parameter["name"]}"' in text
    assert client.get("/api/docs/no_such_operation").status_code == 404


def test_no_path_of_the_pages_hides_one_of_the_contract() -> None:
    assert get_resolver().resolve("/api/v1/docs").func.__name__ == "unknown_path"


# -- what the pages say about a schema

KNOWN: dict[str, Any] = {
    "Tree": {
        "type": "object",
        "description": "A tree.",
        "required": ["name"],
        "properties": {
            "name": {"type": "string", "maxLength": 5},
            "children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}},
            "kind": {"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]},
        },
    }
}


def test_a_schema_that_holds_itself_is_reported_once() -> None:
    rows = rows_of({"$ref": "#/components/schemas/Tree"}, KNOWN)
    assert [(row.name, row.kind, row.required) for row in rows] == [
        ("name", "string (at most 5 characters)", True),
        ("children", "list of object", False),
        ("kind", "'a' | 'b' | null", False),
    ]


def test_the_fields_of_what_a_list_holds_stand_one_step_deeper() -> None:
    schema = {"type": "object", "properties": {"trees": {"type": "array", "items": KNOWN["Tree"]}}}
    rows = rows_of(schema, KNOWN)
    assert [(row.depth, row.name) for row in rows][:2] == [(0, "trees"), (1, "name")]
    assert kind_of({"type": "integer", "minimum": 1}, KNOWN) == "integer (≥ 1)"


def test_an_example_has_what_is_required_or_has_an_example_of_its_own() -> None:
    assert example_of({"$ref": "#/components/schemas/Tree"}, KNOWN) == {"name": "text"}
    schema = {
        "type": "object",
        "required": ["n", "e", "l", "d"],
        "properties": {
            "n": {"type": "integer", "minimum": 3},
            "e": {"enum": ["x"]},
            "l": {"type": "array", "minItems": 1, "items": {"type": "boolean"}},
            "d": {"default": "given"},
            "o": {"type": "integer", "examples": [7]},
        },
    }
    assert example_of(schema, KNOWN) == {"n": 3, "e": "x", "l": [False], "d": "given", "o": 7}
