"""Workflows as YAML: export, import, hostile texts."""

from typing import Any

import pytest

from tests.integration.workflows.documents import document, edge, node
from tests.openapi import CheckedApi, checked
from tests.problems import assert_problem
from workflows.domain.document import yaml_json

pytestmark = pytest.mark.django_db

# Section 6.1 of the design that the YAML form comes from.
SEED = """
nodes:
  - id: "llm_node_1"
    type: "llm"
    context_type: "llm_context"
    context_filter:
      rules:
        - type: "include"
          pattern: "llm.*"
        - type: "exclude"
          pattern: "tool.*"
      default_behavior: "block"

  - id: "tool_node_1"
    type: "tool"
    context_type: "tool_context"
    context_filter:
      rules:
        - type: "include"
          pattern: "tool.*"
      default_behavior: "block"
edges:
  - id: "edge_1"
    from: "llm_node_1"
    to: "tool_node_1"
    type: "conditional"
    context_filter:
      type: "conditional"
      condition: "context.priority === 'high'"
"""
MEDIA = ["application/yaml", "text/yaml", "application/x-yaml", "text/plain"]


def send(api: CheckedApi, text: str | bytes, query: str = "", media: str = MEDIA[0]) -> Any:
    """The text as the body itself."""
    call: Any = api.client.generic
    data = text if isinstance(text, bytes) else text.encode()
    return checked(call("POST", f"/api/v1/workflows/import{query}", data, content_type=media))


@pytest.mark.parametrize("media", MEDIA)
def test_yaml_is_imported_in_any_of_its_media_types(api: CheckedApi, media: str) -> None:
    answer = send(api, SEED, "?slug=seed", media)
    assert answer.status_code == 201
    assert answer["Location"] == "/api/v1/workflows/seed"
    shown = answer.json()
    assert (shown["slug"], shown["draft_version"], shown["published_version"]) == ("seed", 1, None)
    found = api.get("/workflows/seed/draft").json()
    assert found["document"]["nodes"][0]["context_filter"]["rules"][1]["pattern"] == "tool.*"
    lines = {"missing_condition": (23, 5), "unwritten_name": (29, 7)}
    assert [each["code"] for each in found["problems"]] == list(lines)
    for problem, told in zip(found["problems"], shown["problems"], strict=True):
        line, column = lines[problem["code"]]
        assert told == {**problem, "file_line": line, "file_column": column}


def test_yaml_is_imported_as_a_field_of_json(api: CheckedApi) -> None:
    answer = api.post("/workflows/import", {"slug": "seed", "yaml": SEED})
    assert answer.status_code == 201
    assert answer.json()["name"] == "seed"


def test_without_a_slug_one_is_made_of_the_name(api: CheckedApi) -> None:
    text = "name: Ärzte & Support (v2)\n" + SEED
    first = send(api, text).json()
    second = send(api, text).json()
    assert (first["slug"], first["name"]) == ("arzte-support-v2", "Ärzte & Support (v2)")
    assert second["slug"].startswith("arzte-support-v2-")
    assert send(api, "name: Import\n" + SEED).json()["slug"].startswith("workflow")
    assert send(api, SEED).json()["slug"].startswith("workflow")


def test_an_existing_slug_is_taken_unless_the_version_is_named(api: CheckedApi, flow: str) -> None:
    refused = send(api, SEED, f"?slug={flow}")
    assert_problem(refused, 409, "duplicate", "/slug")
    written = send(api, SEED, f"?slug={flow}&expected_version=0")
    assert written.status_code == 200
    assert written.json()["draft_version"] == 1
    assert written.json()["name"] == "A flow"
    late = api.post("/workflows/import", {"slug": flow, "yaml": SEED, "expected_version": 0})
    assert_problem(late, 409, "version_conflict")


def test_an_import_may_name_the_draft_by_its_etag(api: CheckedApi, flow: str) -> None:
    body = {"slug": flow, "yaml": SEED}
    assert api.post("/workflows/import", body, **{"If-Match": '"0"'}).status_code == 200


def test_a_version_of_a_workflow_that_does_not_exist_is_not_found(api: CheckedApi) -> None:
    assert_problem(send(api, SEED, "?slug=new&expected_version=0"), 404, "not_found")


def test_an_import_with_problems_is_kept_and_names_them(api: CheckedApi) -> None:
    answer = send(api, "nodes:\n  - {id: a, type: start}\n  - {id: b, type: llm}\n", "?slug=x")
    assert answer.status_code == 201
    assert [each["code"] for each in answer.json()["problems"]] == ["unreachable_node"]


@pytest.mark.parametrize("slug", ["a%20b", "import", "", "x" * 65])
def test_a_bad_slug_of_the_query_is_named(api: CheckedApi, slug: str) -> None:
    assert_problem(send(api, SEED, f"?slug={slug}"), 422, "validation", "?slug")


def test_what_is_exported_can_be_imported_without_loss(api: CheckedApi, flow: str) -> None:
    body = document(
        node("begin", "start", config={"text": "yes", "number": "1", "lines": "a\nb\n", "é": None}),
        node("ask", "llm", properties={"on": True, "list": [1, 1.5, "1e3", "~", "null"]}),
        edges=[edge("go", "begin", "ask", condition="context.a === 'b'")],
        reducers={"*_output": "merge"},
    )
    api.put(f"/workflows/{flow}/draft", {"document": body, "expected_version": 0})
    answer = checked(api.client.get(f"/api/v1/workflows/{flow}/yaml"))
    assert answer["Content-Type"] == "text/yaml; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="flow.yaml"'
    assert send(api, answer.content, "?slug=copy").status_code == 201
    assert api.get("/workflows/copy/draft").json()["document"] == body


@pytest.mark.parametrize(
    ("accept", "media"),
    [
        ("*/*", "text/yaml"),
        ("text/yaml", "text/yaml"),
        ("application/yaml", "application/yaml"),
        ("application/json", "application/json"),
        ("text/html,*/*;q=0.8", "text/yaml"),
    ],
)
def test_the_export_comes_in_the_form_that_is_asked_for(
    api: CheckedApi, flow: str, accept: str, media: str
) -> None:
    answer = api.get(f"/workflows/{flow}/yaml", Accept=accept)
    assert answer["Content-Type"].partition(";")[0] == media
    text = answer.json()["yaml"] if media.endswith("json") else answer.content.decode()
    assert "name: A flow" in text


def test_an_export_in_a_form_that_there_is_not_is_refused(api: CheckedApi, flow: str) -> None:
    answer = api.get(f"/workflows/{flow}/yaml", Accept="image/png")
    assert (answer.status_code, answer.json()["code"]) == (406, "not_acceptable")


def test_a_version_is_exported_as_it_was_published(api: CheckedApi, flow: str) -> None:
    for version, name in enumerate(("one", "two")):
        body = {"document": document(name=name), "expected_version": version}
        api.put(f"/workflows/{flow}/draft", body)
        api.post(f"/workflows/{flow}/publish", {"expected_version": version + 1})
    assert b"name: one" in api.get(f"/workflows/{flow}/yaml?version=1").content
    assert b"name: two" in api.get(f"/workflows/{flow}/yaml?version=draft").content
    assert_problem(api.get(f"/workflows/{flow}/yaml?version=3"), 404, "not_found")
    wrong = api.get(f"/workflows/{flow}/yaml?version=x")
    assert_problem(wrong, 422, "validation", "?version")


HOSTILE = {
    "no yaml": ("nodes: [", 400, ""),
    "not utf-8": (b"nodes: \xff", 400, ""),
    "a control character": ("nodes: '\x01'", 400, ""),
    "only a comment": ("# nothing", 422, ""),
    "a text": ("hello", 422, ""),
    "a list": ("- a", 422, ""),
    "a python object": ("nodes: !!python/object/apply:os.system [id]", 422, "/nodes"),
    "a tag": ("nodes: !x []", 422, "/nodes"),
    "a key twice": ("nodes: []\nnodes: []", 422, ""),
    "two documents": ("nodes: []\n---\nnodes: []", 422, ""),
    "not a number": ("nodes: .nan", 422, "/nodes"),
    "an integer beyond 64 bit": ("nodes: 99999999999999999999", 422, "/nodes"),
    "deep nesting": ("nodes: " + "[" * 100, 422, None),
    "an unknown field": ("nodes: []\ncolour: red", 422, "/colour"),
    "a wrong node": ("nodes:\n  - id: a", 422, "/nodes/0/type"),
}


@pytest.mark.parametrize(("text", "status", "pointer"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_text_is_refused_with_its_place(
    api: CheckedApi, text: str | bytes, status: int, pointer: str | None
) -> None:
    problem = send(api, text, "?slug=x").json()
    assert problem["code"] == "validation", problem
    assert problem["status"] == status, problem
    error = problem["errors"][0]
    if pointer is not None:
        assert error["pointer"] == pointer
    assert (error["line"], error["column"]) >= (1, 1)
    assert_problem(api.get("/workflows/x"), 404, "not_found")


def test_an_empty_body_is_refused(api: CheckedApi) -> None:
    assert_problem(send(api, ""), 422, "validation", "/yaml")


def test_an_error_in_yaml_within_json_is_below_its_field(api: CheckedApi) -> None:
    body = {"slug": "x", "yaml": "nodes:\n  - id: a"}
    error = assert_problem(
        api.post("/workflows/import", body), 422, "validation", "/yaml/nodes/0/type"
    )
    assert error["line"] == 2


def test_a_billion_laughs_are_refused(api: CheckedApi) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 12):
        lines.append(f"a{level}: &a{level} [" + ", ".join([f"*a{level - 1}"] * 10) + "]")
    problem = send(api, "\n".join(lines)).json()
    assert (problem["status"], problem["code"]) == (422, "validation")


def test_a_text_over_the_limit_is_too_large(
    api: CheckedApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yaml_json, "MAX_TEXT", 1000)
    assert_problem(send(api, "# " + "x" * 1000 + SEED), 413, "too_large")


def test_another_media_type_is_not_read(api: CheckedApi) -> None:
    answer = send(api, "<a/>", media="application/xml")
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


def test_problems_of_an_imported_draft_carry_the_line_of_the_file(api: CheckedApi) -> None:
    text = """name: Lines
nodes:
  - id: a
    type: llm
    context_filter:
      rules:
        - type: include
          pattern: x
          condition: "context.a ==="
edges:
  - {id: go, type: sequence, from: a, to: nowhere}
"""
    answer = send(api, text)
    assert answer.status_code == 201
    told = {each["code"]: each for each in answer.json()["problems"]}
    assert (told["dangling_edge"]["file_line"], told["dangling_edge"]["file_column"]) == (11, 39)
    condition = told["bad_condition"]
    assert condition["file_line"] == 9
    assert condition["column"] > 1  # within the condition


def test_errors_of_the_form_carry_the_line_of_the_file(api: CheckedApi) -> None:
    answer = send(api, "name: Lines\nnodes:\n  - id: a\n    typ: llm\nedges: []\n")
    problem = assert_problem(answer, 422, "validation", "/nodes/0/typ")
    assert (problem["line"], problem["column"]) == (4, 5)


def test_json_is_yaml_also_with_characters_as_two_escapes(api: CheckedApi) -> None:
    text = '{"name": "\\ud83d\\ude00 \\/", "nodes": [{"id": "a", "type": "start"}], "edges": []}'
    answer = send(api, text, "?slug=smile")
    assert answer.status_code == 201, answer.content
    assert answer.json()["name"] == "\U0001f600 /"
    wrong = send(api, '{"name": "x",\n "nodes": [{"id": 5, "type": "start"}],\n "edges": []}')
    problem = assert_problem(wrong, 422, "validation", "/nodes/0/id")
    assert (problem["line"], problem["column"]) == (2, 13)
