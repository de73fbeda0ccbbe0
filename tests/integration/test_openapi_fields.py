"""Every field of the OpenAPI document tells its form: an example, the least number, the length.

A field needs an example of its own unless its schema leaves nothing to ask: choices, a constant,
true or false, another described object, or lists, maps and alternatives of these.
"""

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.factories import Api
from tests.openapi import contract

Json = dict[str, Any]
REF = "#/components/schemas/"
DATA = ("examples", "default", "enum", "const")  # of a schema, and no schemas themselves
# Texts of bodies without a length of their own: all of them share what a body may have, which is a
# setting. They are what a model or a person wrote, ids that a provider made, bytes of an engine,
# names that are looked up in registries, and whole documents.
WITHOUT_LENGTH = {
    "AppendInFormat.system",
    "ContentPart.type",
    "CreateInFormat.system",
    "Document.reducers",
    "DraftChanges.reducers",
    "HistoryEntryInput.node_id",
    "ImportWorkflow.yaml",
    "IncomingMessage.content",
    "IncomingMessage.name",
    "IncomingMessage.tool_call_id",
    "NodeResult.error",
    "OpaqueValue.base64",
    "PromptContextInput.template",
    "StartExecution.reducers",
    "ToolCall.id",
}


def fields_within(schema: object, place: str) -> Iterator[tuple[str, Json]]:
    """Every property of a schema and of the schemas inside it, with its place."""
    if isinstance(schema, list):
        for each in schema:
            yield from fields_within(each, place)
    elif isinstance(schema, dict):
        for name, of_field in schema.get("properties", {}).items():
            yield f"{place}.{name}", of_field
            yield from fields_within(of_field, f"{place}.{name}")
        for key, each in schema.items():
            if key not in ("properties", *DATA):
                yield from fields_within(each, place)


def all_fields() -> list[tuple[str, Json]]:
    models = contract()["components"]["schemas"].items()
    return [found for name, model in models for found in fields_within(model, name)]


def is_clear(schema: Json) -> bool:
    """True if a reader needs no example, or has one."""
    if any(name in schema for name in ("examples", "enum", "const", "properties")):
        return True
    if "$ref" in schema:
        return bool(schema["$ref"] != f"{REF}JsonValue")
    alternatives = schema.get("anyOf") or schema.get("oneOf")
    if alternatives:
        return all(is_clear(each) for each in alternatives)
    inside = schema.get("items", schema.get("additionalProperties"))
    if isinstance(inside, dict):
        return is_clear(inside)
    return schema.get("type") in ("boolean", "null")


def own_schemas(schema: object) -> Iterator[Json]:
    """A schema and its alternatives, items and values, without the properties of objects."""
    if isinstance(schema, list):
        for each in schema:
            yield from own_schemas(each)
    elif isinstance(schema, dict):
        yield schema
        for key, each in schema.items():
            if key not in ("properties", *DATA):
                yield from own_schemas(each)


def sent_models() -> set[str]:
    """The names of the models that callers send, and of those inside them."""
    found: set[str] = set()
    waiting: list[object] = [
        operation.get("requestBody")
        for methods in contract()["paths"].values()
        for operation in methods.values()
    ]
    while waiting:
        for schema in own_schemas(waiting.pop()):
            name = str(schema.get("$ref", "")).removeprefix(REF)
            if name and name not in found:
                found.add(name)
                model = contract()["components"]["schemas"][name]
                waiting += [model, *(each for _, each in fields_within(model, name))]
    return found


def has_one_of(schema: Json, *names: str) -> bool:
    return any(name in schema for name in (*names, "enum", "const"))


def test_every_field_has_an_example_or_needs_none() -> None:
    assert not [place for place, schema in all_fields() if not is_clear(schema)]


def test_every_whole_number_of_a_model_tells_the_least_one() -> None:
    models = contract()["components"]["schemas"].items()
    assert not [
        place
        for place, schema in itertools.chain(models, all_fields())
        for each in own_schemas(schema)
        if each.get("type") == "integer" and not has_one_of(each, "minimum", "exclusiveMinimum")
    ]


def test_every_text_of_a_body_tells_its_length_or_its_form() -> None:
    sent = sent_models()
    without = {
        place
        for place, schema in all_fields()
        if place.partition(".")[0] in sent
        for each in own_schemas(schema)
        if each.get("type") == "string" and not has_one_of(each, "maxLength", "pattern", "format")
    }
    assert without == WITHOUT_LENGTH


@pytest.mark.parametrize("schema", [{"type": "string"}, {"$ref": f"{REF}JsonValue"}, {}])
def test_a_field_that_says_nothing_of_its_form_is_found(schema: Json) -> None:
    assert not is_clear(schema)
    assert not is_clear({"type": "array", "items": schema})
    assert not is_clear({"anyOf": [schema, {"type": "null"}]})
    assert is_clear({**schema, "examples": ["x"]})


# -- parameters


def parameters() -> Iterator[tuple[str, str, Json]]:
    operations = [
        (f"{method} {path}", operation)
        for path, methods in contract()["paths"].items()
        for method, operation in methods.items()
    ]
    for place, operation in operations:
        for parameter in operation.get("parameters", ()):
            yield place, parameter["name"], parameter


def test_every_whole_number_of_a_parameter_tells_the_least_one() -> None:
    without = {
        name
        for _, name, parameter in parameters()
        if parameter["schema"]["type"] == "integer" and "minimum" not in parameter["schema"]
    }
    assert without == {"after_version"}  # one below 0 stands for any version


def test_every_text_of_a_parameter_tells_its_form() -> None:
    """All texts of a request's head are bounded together, so these three have no form to tell."""
    told = {"pattern", "maxLength", "enum", "format"}
    without = {
        name
        for _, name, parameter in parameters()
        if parameter["schema"]["type"] == "string" and told.isdisjoint(parameter["schema"])
    }
    assert without == {"If-None-Match", "keys", "q"}


FORMS: list[tuple[str, str, str, list[str], list[str]]] = [
    ("patch", "/conversations/c", "If-Match", ["*", '"0.0"', 'W/"0.0"', "0.0"], ["x", '"0.-1"']),
    ("get", "/conversations/c/messages", "view", ["all", "revision:0"], ["none", "revision:"]),
    ("get", "/conversations/c/messages", "cursor", ["", "WzBd", "WzBd=="], ["WzBd%", "W zB"]),
    ("get", "/conversations/c/checkpoints", "include", ["", "state,writes"], ["status", "state;"]),
    ("get", "/conversations", "status", ["IDLE", "PAUSED"], ["paused", "GONE"]),
    ("get", "/events", "after", ["0", "12"], ["x", "-1", "1" * 19]),
    ("get", "/events", "kinds", ["", "execution,messages.append"], ["message", "execution;"]),
    ("get", "/events", "status", ["", "PAUSED,FAILED"], ["PAUSED FAILED", "DONE"]),
    ("get", "/usage", "group", ["", "node,day"], ["nodes", "day;node"]),
    ("get", "/recalls", "group", ["workflow"], ["model"]),
    ("get", "/workflows/w/yaml", "version", ["draft"], ["latest", "1.5"]),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("method", "path", "name", "taken", "refused"), FORMS)
def test_the_form_of_a_parameter_is_what_the_server_takes(
    method: str, path: str, name: str, taken: list[str], refused: list[str]
) -> None:
    api = Api()
    api.send("post", "/conversations", {"id": "c"})
    api.send("post", "/workflows", {"slug": "w", "name": "W"})
    place = re.sub(r"/c(/|$)", r"/{conversation_id}\1", path).replace("/w/", "/{slug}/")
    (schema,) = [
        each["schema"]
        for where, known, each in parameters()
        if (where, known) == (f"{method} /api/v1{place}", name)
    ]
    for text in (*taken, *refused):
        if name == "If-Match":
            status = api.send(method, path, {"title": "t"}, **{name: text}).status_code
        else:
            status = api.get(f"{path}?{urlencode({name: text})}").status_code
        fits = text in schema["enum"] if "enum" in schema else re.search(schema["pattern"], text)
        assert (status, bool(fits)) == ((200, True) if text in taken else (422, False)), text


@pytest.mark.django_db
def test_a_part_of_a_path_that_is_longer_than_any_is_not_found() -> None:
    api, tried = Api(), 0
    refused: dict[int, list[str]] = defaultdict(list)
    api.send("post", "/conversations", {"id": "c"})
    api.send("post", "/conversations/c/executions", {})
    for place, name, parameter in parameters():
        if parameter["in"] != "path" or parameter["schema"]["type"] != "string":
            continue
        tried += 1
        method, _, path = place.partition(" /api/v1")
        path = path.replace(f"{{{name}}}", "1" * (parameter["schema"]["maxLength"] + 1))
        path = re.sub(r"{conversation_id}", "c", path)
        path = re.sub(r"{\w+}", "1", path) + "?from=0&to=0" * path.endswith("/diff")
        operation = contract()["paths"][place.partition(" ")[2]][method]
        media = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
        body = media.get("example", {})
        answer = api.get(path) if method == "get" else api.send(method, path, body)
        refused[answer.status_code].append(f"{place} {name}")
    assert tried > 50
    assert set(refused) == {404}, refused


# -- what the models do not check themselves is refused where it is looked up


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "field"), [("batches", "boundary"), ("rollback", "batch"), ("restore", "revision")]
)
def test_a_number_below_the_least_one_is_refused(path: str, field: str) -> None:
    api = Api()
    api.send("post", "/conversations", {"id": "c"})
    answer = api.send("post", f"/conversations/c/{path}", {field: -1})
    assert 400 <= answer.status_code < 500
    assert api.send("post", f"/conversations/c/{path}", {field: 0}).status_code < 300


@pytest.mark.django_db
def test_a_name_that_is_longer_than_any_is_refused() -> None:
    api, name = Api(), "x" * 65
    api.send("post", "/workflows", {"slug": "w", "name": "W"})
    api.send("post", "/conversations", {"id": "c"})
    for path, body in (
        ("/conversations", {"workflow": name}),
        ("/conversations/c/executions", {"workflow": name}),
        ("/workflows/w/preview", {"node": "n", "conversation_id": name}),
    ):
        assert 400 <= api.send("post", path, body).status_code < 500, path
