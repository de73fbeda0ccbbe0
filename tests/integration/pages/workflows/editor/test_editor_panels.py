"""The panel of the graphical editor: an element as a form, and the form as an element."""

import re
from typing import Any

import pytest
from django.test import Client

from tests.integration.pages.workflows.designing import fields
from tests.integration.pages.workflows.unsaved import (
    ANSWER,
    GO,
    START,
    ask,
    document,
    draft_field,
    panel,
    read,
    typed,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small")]


def test_the_panel_shows_a_node_as_the_document_says_it(designer: Client) -> None:
    other = {**ANSWER, "name": "Of the browser"}
    page = panel(designer, "node", "answer", document(START, other))
    assert 'value="Of the browser"' in page
    assert 'name="node-context_filters-0-rules-0-pattern"' in page
    assert 'name="node-context_filters-0-messages-0-truncate-keep_last"' in page
    assert 'data-kind="edge" data-id="go"' in page
    assert 'name="node-x"' not in page


def test_what_the_panel_shows_reads_back_as_the_same_element(designer: Client) -> None:
    cases: list[Any] = [("node", "answer", ANSWER), ("edge", "go", GO)]
    for kind, name, element in cases:
        answer = read(designer, typed(designer, kind, name))
        assert answer["errors"] == []
        assert answer["id"] == name
        assert answer["element"] == element


@pytest.mark.parametrize("operation", ["truncate", "insert", "replace", "clear", "filter"])
def test_each_operation_of_a_processor_is_read_with_its_pairing(
    designer: Client, operation: str
) -> None:
    config: dict[str, Any] = {
        "truncate": {"keep_last": 3},
        "insert": {"position": 0, "messages": [{"role": "system", "content": "x"}]},
        "replace": {"index": 1, "message": {"role": "user", "content": "y"}},
        "clear": {"keep_system_message": False},
        "filter": {"roles": ["user"]},
    }
    node = {
        "id": "tidy",
        "type": "context_processor",
        "config": {"operation": operation, operation: config[operation], "pairing": "drop"},
    }
    given = document(START, node, edges=())
    answer = read(designer, typed(designer, "node", "tidy", given))
    assert answer["errors"] == []
    assert answer["element"]["config"] == node["config"]


@pytest.mark.parametrize("kind", ["pass_all", "pass_none", "selective", "conditional", "transform"])
def test_each_type_of_edge_filter_is_read(designer: Client, kind: str) -> None:
    given: dict[str, Any] = {"type": kind}
    if kind in ("selective", "conditional"):
        given["include_patterns"] = ["a.*", "b"]
    if kind == "conditional":
        given["condition"] = "context.a"
    if kind == "transform":
        given["transform_rules"] = [
            {"pattern": "a", "transform": "uppercase", "target": "metadata"}
        ]
    edge = {**GO, "context_filter": given, "weight": 2}
    whole = document(edges=[edge])
    answer = read(designer, typed(designer, "edge", "go", whole))
    assert answer["errors"] == []
    assert answer["element"] == edge


def test_a_row_is_added_moved_and_removed_and_what_was_typed_stays(designer: Client) -> None:
    path = "/workflows/small/editor/panel/"
    rows = "node-context_filters-0-rules"
    sent = typed(designer, "node", "answer") | {"node-name": "Typed"}
    more = designer.post(path, sent | {"node-_rows": f"add:{rows}"}).content.decode()
    assert f'name="{rows}-1-pattern"' in more
    assert 'value="Typed"' in more
    sent |= {f"{rows}-count": "2", f"{rows}-1-type": "exclude", f"{rows}-1-pattern": "prompt.x"}
    moved = designer.post(path, sent | {"node-_rows": f"up:{rows}:1"}).content.decode()
    assert re.search(rf'name="{rows}-0-pattern" value="prompt.x"', moved)
    gone = designer.post(path, sent | {"node-_rows": f"remove:{rows}:0"}).content.decode()
    assert re.search(rf'name="{rows}-0-pattern" value="prompt.x"', gone)
    assert f'name="{rows}-1-pattern"' not in gone


def test_a_row_that_was_only_added_does_not_keep_the_rest_from_being_saved(
    designer: Client,
) -> None:
    rows = "node-context_filters-0-rules"
    sent = typed(designer, "node", "answer")
    added = designer.post(
        "/workflows/small/editor/panel/", sent | {"node-_rows": f"add:{rows}"}
    ).content.decode()
    form = added.replace('id="panel-form"', 'id="element"')
    more = {f"node-{name}": value for name, value in fields(form).items()}
    more |= {"kind": "node", "id": "answer", "draft": sent["draft"], "node-name": "Typed"}
    assert more[f"{rows}-count"] == "2"
    answer = read(designer, more)
    assert (answer["errors"], answer["element"]["name"]) == ([], "Typed")
    assert len(answer["element"]["context_filter"]["rules"]) == 1
    assert more[f"{rows}-1-type"] == "include"
    whole = read(designer, more | {f"{rows}-1-pattern": "llm.*"})
    assert whole["errors"] == []
    half = read(designer, more | {f"{rows}-1-condition": "context.a"})
    assert half["element"] is None
    assert f"{rows}-1-pattern" in {each["field"] for each in half["errors"]}


def test_reducers_and_the_name_of_the_workflow_have_panels(designer: Client) -> None:
    given = document(reducers={"fact.*": "merge"})
    sent = typed(designer, "reducers", "", given)
    assert read(designer, sent)["element"] == {"fact.*": "merge"}
    twice = sent | {
        "reducers-count": "2",
        "reducers-1-pattern": "fact.*",
        "reducers-1-reducer": "max",
    }
    answer = read(designer, twice)
    assert answer["element"] is None
    assert [each["field"] for each in answer["errors"]] == ["reducers-1-pattern"]
    assert 'name="workflow-name" value="Small"' in panel(designer, "workflow", "")
    named = {"kind": "workflow", "workflow-name": "Fresh", "draft": draft_field(given)}
    assert read(designer, named)["element"] == {"name": "Fresh"}


def test_an_element_that_is_not_there_is_not_found(designer: Client) -> None:
    for kind in ("node", "edge"):
        body = {"kind": kind, "id": "nobody", "document": document()}
        assert ask(designer, "panel", body).status_code == 404
    body = {"kind": "surprise", "id": "", "document": document()}
    assert ask(designer, "panel", body).status_code == 422


def test_a_condition_with_a_fault_names_its_column_and_the_element_comes_all_the_same(
    designer: Client,
) -> None:
    sent = typed(designer, "edge", "go") | {"edge-condition": "context.a ==="}
    answer = read(designer, sent)
    assert answer["element"]["condition"] == "context.a ==="
    fault = next(each for each in answer["errors"] if each["field"] == "edge-condition")
    assert fault["column"] > 1
    assert fault["message"]


def test_a_condition_of_a_rule_names_the_field_of_its_row(designer: Client) -> None:
    name = "node-context_filters-0-rules-0-condition"
    answer = read(designer, typed(designer, "node", "answer") | {name: "&& a"})
    assert [(each["field"], "column" in each) for each in answer["errors"]] == [(name, True)]
    assert answer["element"]["context_filter"]["rules"][0]["condition"] == "&& a"


def test_what_cannot_be_read_gives_no_element_and_names_its_field(designer: Client) -> None:
    sent = typed(designer, "node", "answer")
    bad = read(designer, sent | {"node-id": "no spaces"})
    assert bad["element"] is None
    assert [each["field"] for each in bad["errors"]] == ["node-id"]
    for name in ("  ", "a\0b\x07c"):
        unreadable = read(designer, sent | {"node-name": name})
        assert unreadable["element"] is None
        assert [each["field"] for each in unreadable["errors"]] == ["node-name"]
    taken = read(designer, sent | {"node-id": "start"})
    assert taken["element"] is None
    assert "taken" in taken["errors"][0]["message"]


def test_nothing_too_long_is_cut_and_its_field_says_the_limit(designer: Client) -> None:
    for kind, name, field, most in (
        ("edge", "go", "edge-condition", 2_000),
        ("node", "answer", "node-name", 200),
        ("node", "answer", "node-type-other", 64),
    ):
        assert "maxlength" not in panel(designer, kind, name)
        chosen = {"node-type": ""} if field == "node-type-other" else {}
        given = typed(designer, kind, name) | chosen | {field: "a" * (most + 1)}
        answer = read(designer, given)
        assert answer["element"] is None
        assert [(each["field"], each["message"]) for each in answer["errors"]] == [
            (field.removesuffix("-other"), f"This must have at most {most} characters.")
        ]


def test_a_stored_name_with_control_characters_is_shown(designer: Client) -> None:
    given = document(START, {**ANSWER, "name": "a\x07c"})
    assert "U+0007" in panel(designer, "node", "answer", given)


def test_a_panel_shows_the_faults_of_an_element_at_its_fields(designer: Client) -> None:
    broken = {**GO, "condition": "context.a ===", "to": "gone"}
    page = panel(designer, "edge", "go", document(edges=[broken]))
    assert 'id="id_edge-condition_error"' in page
    assert 'id="id_edge-to_error"' in page
    assert "nothing was saved" not in page


def test_an_unreadable_element_has_a_panel_that_says_what_is_left_out(
    designer: Client,
) -> None:
    broken = {**ANSWER, "position": "left", "surprise": 1}
    page = panel(designer, "node", "answer", document(START, broken))
    assert "Invalid, not shown" in page
    assert "position" in page
    assert "surprise" in page
    answer = read(designer, typed(designer, "node", "answer", document(START, broken)))
    assert answer["element"]["name"] == "Answer"
    assert "position" not in answer["element"]


def test_half_a_timeout_waits_in_the_form_and_is_no_element(designer: Client) -> None:
    sent = typed(designer, "node", "start") | {"node-pause": "after"}
    half = read(designer, sent | {"node-timeout_seconds": "5 min"})
    assert half["element"] is None
    named = [(each["field"], each["label"]) for each in half["errors"]]
    assert named == [("node-timeout_outcome", "After the timeout")]
    whole = sent | {"node-timeout_seconds": "5 min", "node-timeout_outcome": "cancel"}
    config = read(designer, whole)["element"]["config"]
    assert config == {"pause": "after", "timeout": {"seconds": 300, "outcome": "cancel"}}


def test_a_stored_half_of_a_timeout_can_be_freed_in_its_fields(designer: Client) -> None:
    stuck: dict[str, Any] = {**START, "config": {"pause": "after", "timeout": {"seconds": 5}}}
    page = panel(designer, "node", "start", document(stuck, ANSWER))
    assert 'id="id_node-timeout_outcome_error"' in page
    sent = typed(designer, "node", "start", document(stuck, ANSWER))
    assert (sent["node-timeout_seconds"], sent["node-config"]) == ("5 s", "")
    freed = read(designer, sent | {"node-timeout_seconds": ""})
    assert (freed["errors"], freed["element"]["config"]) == ([], {"pause": "after"})


LAST: dict[str, Any] = {"operation": "truncate", "truncate": {"keepLast": 2}}


def test_what_was_not_typed_is_read_as_the_document_writes_it(designer: Client) -> None:
    block = {"max_tokens": 60_000, "target_tokens": 40_000}
    messages: Any = [{"operation": "budget", "budget": block, "pairing": "keep"}, LAST]
    rule: Any = {"type": "include", "pattern": "user.*"}
    node = {**ANSWER, "context_filter": {"rules": [rule], "messages": messages}, "properties": {}}
    edge = {**GO, "context_filter": {"type": "pass_all", "messages": messages}}
    given = document(START, node, edges=[edge])
    sent = {**typed(designer, "node", "answer", given), "node-name": "Other"}
    assert read(designer, sent)["element"] == {**node, "name": "Other"}
    pattern = "node-context_filters-0-rules-0-pattern"
    source = read(designer, {**sent, pattern: "prompt.*"})["element"]["context_filter"]
    assert source["messages"] == messages
    assert source["rules"][0]["pattern"] == "prompt.*"
    sent = {**typed(designer, "edge", "go", given), "edge-weight": "2"}
    assert read(designer, sent)["element"] == {**edge, "weight": 2}


def test_rows_are_read_as_the_document_writes_them_when_others_come_or_go(
    designer: Client,
) -> None:
    rules: Any = [
        {"type": "include", "pattern": each, "target": "variables"} for each in ("a", "b", "c")
    ]
    filtered = {**ANSWER, "context_filter": {"rules": rules}}
    rows = "node-context_filters-0-rules"
    sent = typed(designer, "node", "answer", document(START, filtered))
    added = {f"{rows}-count": "4", f"{rows}-3-type": "include", f"{rows}-3-pattern": "d"}
    more = read(designer, sent | added)["element"]["context_filter"]["rules"]
    assert [rule["pattern"] for rule in more] == ["a", "b", "c", "d"]
    assert more[:3] == rules
    page = designer.post(
        "/workflows/small/editor/panel/", sent | {"node-_rows": f"remove:{rows}:1"}
    ).content.decode()
    form = page.replace('id="panel-form"', 'id="element"')
    less = sent | {f"node-{name}": value for name, value in fields(form).items()}
    assert read(designer, less)["element"]["context_filter"]["rules"] == [rules[0], rules[2]]
    second = "node-context_filters-1-rules"
    other = {
        "node-context_filters-count": "2",
        f"{second}-count": "1",
        f"{second}-0-type": "include",
        f"{second}-0-pattern": "d",
    }
    both = read(designer, sent | other)["element"]["context_filter"]
    assert [len(each["rules"]) for each in both] == [3, 1]
    assert both[0]["rules"] == rules


def test_a_field_that_no_form_has_is_named_where_it_stands(designer: Client) -> None:
    block = {"operation": "truncate", "truncate": {"keep_last": 2, "count": 3}, "strategy": "x"}
    given = document(START, {**ANSWER, "context_filter": {"messages": [block]}})
    page = panel(designer, "node", "answer", given)
    assert page.count("strategy: Unknown field") == 1
    assert page.count("count: Unknown field") == 1
    sent = typed(designer, "node", "answer", given)
    head = "node-context_filters-0-messages-0"
    row = "Input filter 1 › Operation 1"
    named = {each["field"]: each["message"] for each in read(designer, sent)["errors"]}
    assert named == {
        f"{head}-operation": f"{row}: strategy: Unknown field.",
        f"{head}-truncate-keep_first": f"{row} › What stays: count: Unknown field.",
    }
    assert read(designer, sent | {f"{head}-truncate-keep_last": "3"})["errors"] == []
