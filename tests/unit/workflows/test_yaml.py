"""Workflow documents as YAML: without loss, safely, with places for errors."""

import pytest
from pydantic import JsonValue

from ctxadmin.lib.errors import FieldProblem, TooLarge, ValidationFailed
from workflows.domain.document import yaml_json
from workflows.domain.document.graph import dump as as_json
from workflows.domain.document.graph import read
from workflows.domain.document.yaml_io import dump, load
from workflows.domain.document.yaml_json import load_json

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
      filterRules:
        - type: "include"
          pattern: "tool.*"
      defaultBehavior: "block"
edges:
  - id: "edge_1"
    from: "llm_node_1"
    to: "tool_node_1"
    type: "sequence"
    context_filter:
      type: "selective"
      include_patterns: ["relevant.*"]
      exclude_patterns: ["internal.*"]
  - id: "edge_2"
    fromNodeId: "tool_node_1"
    toNodeId: "llm_node_1"
    type: "conditional"
    context_filter:
      type: "conditional"
      condition: "context.priority === 'high'"
"""


def refused(text: str | bytes) -> FieldProblem:
    with pytest.raises(ValidationFailed) as caught:
        load(text)
    return caught.value.problems[0]


def place(problem: FieldProblem) -> tuple[object, object]:
    extra = dict(problem.extra)
    return extra["line"], extra["column"]


def value(text: str) -> JsonValue:
    return load_json(text)


def test_the_form_of_the_seed_is_read() -> None:
    document = load(SEED, default_name="from a file")
    assert document.name == "from a file"
    assert [node.id for node in document.nodes] == ["llm_node_1", "tool_node_1"]
    assert (document.edges[1].from_node, document.edges[1].to_node) == ("tool_node_1", "llm_node_1")


def test_rules_and_filter_rules_both_stay_as_they_were_written() -> None:
    first, second = (node.context_filter for node in load(SEED).nodes)
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    assert ("rules" in first, "filterRules" in second) == (True, True)


def test_nodes_alone_are_a_workflow_without_edges() -> None:
    assert load("nodes: [{id: a, type: llm}]").edges == ()
    assert load("edges:\n").nodes == ()


def test_export_and_import_give_the_same_document() -> None:
    document = read(
        {
            "name": "yes",
            "nodes": [
                {
                    "id": "a",
                    "type": "llm",
                    "description": "two\nlines\n",
                    "position": {"x": 1, "y": 2.5},
                    "config": {
                        "texts": ["no", "1e5", "0o17", "012", "1_000", "1:30", "2001-01-01", "~"],
                        "more": ["", " ", "a: b", "- a", "#", "null", "=", "<<", "\u0000\u0085"],
                        "blocks": ["a\n b", " a\nb", "a\n\n", "\n", "\t\n", "a \nb", "é\n😀"],
                        "values": [None, True, 1e100, -0.0, 2**63, [], {}, [[]], [{}]],
                        "1": {"": 1, "true": 2, "a\nb": 3, "k" * 200: 4},
                    },
                }
            ],
            "edges": [],
            "reducers": {"*_count": "increment"},
        }
    )
    assert as_json(load(dump(document))) == as_json(document)


def test_the_written_text_is_readable() -> None:
    document = read(
        {
            "name": "订单",
            "nodes": [
                {"id": "a", "type": "llm", "config": {"template": "Hi\nthere\n", "on": "no"}}
            ],
            "edges": [{"id": "e", "type": "sequence", "from": "a", "to": "a"}],
        }
    )
    assert dump(document) == (
        "name: 订单\n"
        "nodes:\n"
        "- id: a\n"
        "  type: llm\n"
        "  config:\n"
        "    template: |\n"
        "      Hi\n"
        "      there\n"
        "    'on': 'no'\n"
        "edges:\n"
        "- id: e\n"
        "  type: sequence\n"
        "  from: a\n"
        "  to: a\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yes", "yes"),
        ("on", "on"),
        ("true", True),
        ("~", None),
        ("", None),
        ("0o17", 15),
        ("0x1F", 31),
        ("012", 12),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("2001-01-01", "2001-01-01"),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("'1'", "1"),
        ("!!str 1", "1"),
        ("!!float 1", 1.0),
        ("! 1", "1"),
        ("!!map {a: !!seq [1]}", {"a": [1]}),
    ],
)
def test_scalars_are_those_of_yaml_1_2(text: str, expected: JsonValue) -> None:
    found = value(text)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("!!python/object:os.system x", "the tag"),
        ("!foo {a: 1}", "the tag !foo is not read"),
        ("!!int x", "cannot be read as"),
        ("a: .inf", "not a number that JSON knows"),
        ("a: 1e999", "not a number that JSON knows"),
        ("a: 18446744073709551616", "does not fit into 64 bit"),
        ("1: a", "a key is a text; put 1 in quotes"),
        ("null: a", "put null in quotes"),
        ("[a]: b", "a key is a text"),
        ("{a: 1}: b", "a key is a text"),
        ("a: &x {b: 1}\nc:\n  <<: *x", "merge keys"),
        ("a: 1\n---\nb: 1", "only one document"),
        ("a: *x", "refers to no complete value"),
        ("a: &x [*x]", "complete"),
        ("a: [1", "not YAML: while parsing a flow sequence, did not find expected ',' or ']'"),
        ("a: 'b", "not YAML: while scanning a quoted scalar, found unexpected end of stream"),
        ("a: \x07", "not YAML"),
        ("\ta: b", "not YAML"),
    ],
)
def test_what_is_no_plain_json_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValidationFailed) as caught:
        value(text)
    assert words in caught.value.problems[0].message
    assert {"line", "column"} <= dict(caught.value.problems[0].extra).keys()


def test_a_key_that_is_given_twice_is_refused_where_it_stands() -> None:
    problem = refused("name: w\nnodes:\n  - id: a\n    type: llm\n    id: b\n")
    assert problem.pointer == "/nodes/0"
    assert "'id' occurs twice" in problem.message
    assert place(problem) == (5, 5)


def test_a_wrong_field_is_reported_with_line_column_and_pointer() -> None:
    problem = refused(
        "name: w\nnodes:\n  - id: a\n    type: llm\n    contxt_type: merge\nedges: []\n"
    )
    assert problem.pointer == "/nodes/0/contxt_type"
    assert place(problem) == (5, 5)


def test_a_missing_field_is_reported_where_it_belongs() -> None:
    problem = refused("name: w\nnodes:\n  - id: a\n  - type: llm\n    name: x\n")
    assert problem.pointer == "/nodes/0/type"
    assert place(problem) == (3, 5)


def test_every_wrong_field_has_its_own_place() -> None:
    with pytest.raises(ValidationFailed) as caught:
        load("nodes:\n  - {id: a b, type: llm}\nedges:\n  - {id: e, type: x, from: 1, to: a}\n")
    assert [(problem.pointer, *place(problem)) for problem in caught.value.problems] == [
        ("/nodes/0/id", 2, 6),
        ("/edges/0/from", 4, 22),
    ]


@pytest.mark.parametrize("text", ["", "3", "- a", "null"])
def test_what_is_no_mapping_is_no_workflow(text: str) -> None:
    assert refused(text).pointer == ""


def test_bytes_are_utf8_with_or_without_a_mark() -> None:
    assert load("name: é\n".encode()).name == load(b"\xef\xbb\xbfname: \xc3\xa9\n").name == "é"
    assert "not UTF-8" in refused(b"name: \xff").message
    assert "not UTF-8" in refused("name: \ud800").message


def test_a_lone_surrogate_cannot_be_written_as_an_escape() -> None:
    with pytest.raises(ValidationFailed):
        value('"\\ud800"')


def test_an_alias_stands_for_its_value() -> None:
    assert value("a: &x {b: [1]}\nc: *x") == {"a": {"b": [1]}, "c": {"b": [1]}}


def test_aliases_that_grow_without_bound_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    assert "expand to too much" in refused("\n".join(lines)).message


def test_a_long_text_that_is_used_again_and_again_is_refused() -> None:
    text = f"a: &a {'x' * 1_000_000}\nb: [{', '.join(['*a'] * 100)}]"
    assert "expand to too much" in refused(text).message


def test_deep_nesting_is_refused_at_once() -> None:
    assert "deeper than 64" in refused("[" * 100_000).message
    assert "deeper than 64" in refused("- " * 100_000).message
    assert value("[" * 64 + "]" * 64) is not None


def test_too_many_values_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_json, "MAX_VALUES", 10)
    assert "at most 10 values" in refused("a: [1, 2, 3, 4, 5, 6, 7, 8, 9]").message


@pytest.mark.parametrize(
    ("begins", "pointer", "told"),
    [
        ("a: [", "/a", "has no field 'a'"),
        ("nodes: [", "/nodes", "an entry of nodes is a mapping"),
        ("edges: [", "/edges", "an entry of edges is a mapping"),
        ("nodes: []\nother: {deep: [", "/other/deep", "has no field 'other'"),
        ("[", "", "a mapping with nodes and edges"),
    ],
)
def test_a_long_text_of_something_else_is_not_read_to_its_end(
    begins: str, pointer: str, told: str
) -> None:
    problem = refused(begins + "1, " * 2_000 + "}: not YAML")
    assert told in problem.message
    assert problem.pointer.startswith(pointer)


def test_a_short_text_of_something_else_is_told_all_its_problems() -> None:
    with pytest.raises(ValidationFailed) as caught:
        load("nodes: [1]\nedges: [2]\na: 3\nb: 4")
    assert [each.pointer for each in caught.value.problems] == ["/nodes/0", "/edges/0", "/a", "/b"]


def test_a_text_over_the_limit_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_json, "MAX_TEXT", 10)
    with pytest.raises(TooLarge):
        load("name: a long name")
