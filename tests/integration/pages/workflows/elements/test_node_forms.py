"""The forms of nodes."""

import re
from typing import Any

import pytest
from django.test import Client
from pydantic import JsonValue

from demo.workflows import WORKFLOWS
from tests.integration.pages.workflows.designing import (
    SMALL,
    draft,
    edge,
    fields,
    made,
    node,
    opened,
    send,
    text,
)
from workflows.domain.document import graph
from workflows.models import Workflow
from workflows.store.definitions import definition

pytestmark = pytest.mark.django_db


def test_a_form_that_is_saved_as_it_is_changes_nothing(designer: Client, small: Workflow) -> None:
    before = node("answer")
    path = "/workflows/small/nodes/answer/"
    assert send(designer, path, opened(designer, path)).status_code == 302
    assert graph.dump(draft()) == {**SMALL, "nodes": graph.dump(draft())["nodes"]}
    assert node("answer") == before


def test_every_demo_node_and_edge_survives_its_form(designer: Client) -> None:
    for slug, document in WORKFLOWS.items():
        made(slug, document)
        before = draft(slug)
        for kind, listed in (("nodes", before.nodes), ("edges", before.edges)):
            for element in listed:
                path = f"/workflows/{slug}/{kind}/{element.id}/"
                assert send(designer, path, opened(designer, path)).status_code == 302
        assert draft(slug) == before


def test_a_node_is_added_and_renamed_with_its_edges(designer: Client, small: Workflow) -> None:
    new = opened(designer, "/workflows/small/add-node/") | {"id": "end", "type": "end"}
    assert send(designer, "/workflows/small/add-node/", new).status_code == 302
    path = "/workflows/small/nodes/answer/"
    assert send(designer, path, opened(designer, path) | {"id": "reply"}).status_code == 302
    assert [each.id for each in draft().nodes] == ["start", "reply", "end"]
    assert edge("go").to_node == "reply"


def test_a_new_node_is_called_after_its_name_and_a_new_edge_after_its_ends(
    designer: Client, small: Workflow
) -> None:
    new = opened(designer, "/workflows/small/add-node/")
    answer = send(designer, "/workflows/small/add-node/", new | {"name": "Say it", "type": "llm"})
    assert answer.headers["Location"] == "/workflows/small/#node-say-it"
    new = opened(designer, "/workflows/small/add-edge/") | {"from": "answer", "to": "say-it"}
    answer = send(designer, "/workflows/small/add-edge/", new)
    assert answer.headers["Location"] == "/workflows/small/#edge-answer-say-it"


def test_a_type_without_a_tile_is_typed_and_stays(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/nodes/answer/"
    sent = opened(designer, path) | {"type": "", "type-other": "critic"}
    assert send(designer, path, sent).status_code == 302
    assert node("answer").type == "critic"
    again = opened(designer, path)
    assert (again["type"], again["type-other"]) == ("", "critic")
    assert send(designer, path, again | {"type": "llm"}).status_code == 302
    assert node("answer").type == "llm"


def test_an_id_that_is_taken_is_named_at_its_field(designer: Client, small: Workflow) -> None:
    new = opened(designer, "/workflows/small/add-node/") | {"id": "start", "type": "llm"}
    answer = send(designer, "/workflows/small/add-node/", new)
    assert answer.status_code == 422
    assert "is taken" in text(answer)
    assert len(draft().nodes) == 2


def test_rules_are_added_moved_and_removed_without_a_script(
    designer: Client, small: Workflow
) -> None:
    path = "/workflows/small/nodes/answer/"
    sent = opened(designer, path) | {"_rows": "add:context_filters-0-rules"}
    page = text(send(designer, path, sent))
    assert 'name="node-context_filters-0-rules-1-pattern"' in page
    assert len(draft().nodes) == 2
    again = dict(fields(page)) | {
        "context_filters-0-rules-1-type": "exclude",
        "context_filters-0-rules-1-pattern": "prompt.secret",
        "context_filters-0-rules-1-target": "variables",
    }
    assert send(designer, path, again).status_code == 302
    assert node("answer").context_filter == {
        "rules": [
            {"type": "include", "pattern": "prompt.*"},
            {"type": "exclude", "pattern": "prompt.secret"},
        ],
        "messages": [{"operation": "truncate", "truncate": {"keep_last": 2}}],
    }


def test_the_error_of_a_condition_is_at_its_field_with_its_column(
    designer: Client, small: Workflow
) -> None:
    path = "/workflows/small/nodes/answer/"
    sent = opened(designer, path) | {"context_filters-0-rules-0-condition": "context.a === "}
    page = text(send(designer, path, sent))
    assert re.search(r'id="id_node-context_filters-0-rules-0-condition_error".*column', page, re.S)
    assert "Save with problems" in page
    assert send(designer, path, sent | {"force": "1"}).status_code == 302
    assert "1 error" in text(designer.get("/workflows/"))


def test_every_mistake_of_a_node_is_reported_at_once_by_the_labels_of_its_form(
    designer: Client, small: Workflow
) -> None:
    path = "/workflows/small/nodes/answer/"
    sent = opened(designer, path) | {
        "id": "no id",
        "context_filters-0-rules-0-condition": "context.a === ",
        "context_filters-0-messages-0-truncate-keep_last": "",
        "config": "{",
    }
    page = text(send(designer, path, sent))
    errors = page[page.index("form-errors") : page.index('<input type="hidden" name="node-')]
    assert "Fix 4 fields" in errors
    assert "An id has 1 to 64 letters, digits, - and _." in errors
    assert "Input filter 1 › Rule 1 › Condition</a>: Line 1, column 15" in errors
    assert "Input filter 1 › Operation 1 › What stays</a>: One of “Keep the fir" in errors
    assert "one of keep_first" not in errors.lower()
    assert draft() == definition(bytes(small.draft)).document


def test_every_mistake_of_an_edge_is_reported_at_once(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/edges/go/"
    sent = opened(designer, path) | {"id": "no id", "to": "nowhere", "condition": "a b"}
    page = text(send(designer, path, sent))
    assert "Fix 3 fields" in page
    assert "This node does not exist." in page


def test_a_filter_gets_a_budget_of_which_only_the_fields_of_its_kind_are_kept(
    designer: Client, small: Workflow
) -> None:
    path = "/workflows/small/nodes/answer/"
    operation = "context_filters-0-messages-0"
    block = f"{operation}-budget"
    sent = opened(designer, path) | {
        f"{operation}-operation": "budget",
        f"{operation}-pairing": "keep",
        f"{block}-max_tokens": "60000",
        f"{block}-target_tokens": "40000",
        f"{block}-drop": "tool_results",
        f"{block}-keep_last_results": "2",
        f"{block}-placeholder": "",
        f"{block}-keep_first": "0",
        f"{block}-keep_system": "on",
    }
    assert send(designer, path, sent).status_code == 302
    kept = {"max_tokens": 60_000, "target_tokens": 40_000, "drop": "tool_results"}
    own = {**kept, "keep_last_results": 2, "placeholder": ""}
    found = node("answer")
    assert isinstance(found.context_filter, dict)
    assert found.context_filter["messages"] == [
        {"operation": "budget", "budget": own, "pairing": "keep"}
    ]
    assert "over 60,000 tokens cut to 40,000" in text(designer.get("/workflows/small/"))
    assert send(designer, path, opened(designer, path)).status_code == 302
    assert node("answer") == found
    other = opened(designer, path) | {f"{block}-drop": "oldest", f"{block}-keep_turn_start": "on"}
    assert send(designer, path, other).status_code == 302
    after = node("answer").context_filter
    assert isinstance(after, dict)
    plain = {"max_tokens": 60_000, "target_tokens": 40_000}
    assert after["messages"] == [{"operation": "budget", "budget": plain, "pairing": "keep"}]


def test_a_context_processor_gets_its_operation_with_pairs_kept(
    designer: Client, small: Workflow
) -> None:
    new = opened(designer, "/workflows/small/add-node/") | {
        "id": "compact",
        "type": "context_processor",
        "operation-operation": "truncate",
        "operation-truncate-keep_last": "6",
        "operation-protect_tools": "on",
    }
    assert send(designer, "/workflows/small/add-node/", new).status_code == 302
    assert node("compact").config == {
        "operation": "truncate",
        "truncate": {"keep_last": 6, "keep_system": True},
        "protect_tools": True,
        "pairing": "keep",
    }
    path = "/workflows/small/nodes/compact/"
    off = {name: value for name, value in opened(designer, path).items() if "system" not in name}
    assert send(designer, path, off).status_code == 302
    assert node("compact").config["truncate"] == {"keep_last": 6}


@pytest.mark.parametrize(
    ("operation", "block", "expected"),
    [
        ("filter", {"operation-filter-roles": ["user"]}, {"filter": {"roles": ["user"]}}),
        ("clear", {"operation-clear-keep_system_message": "on"}, {}),
        (
            "insert",
            {
                "operation-insert-position": "-1",
                "operation-insert-messages": '[{"role": "user", "content": "hi", "own": 1}]',
            },
            {
                "insert": {
                    "position": -1,
                    "messages": [{"role": "user", "content": "hi", "own": 1}],
                }
            },
        ),
        (
            "replace",
            {
                "operation-replace-index": "0",
                "operation-replace-message": '{"role": "user", "content": "hi"}',
            },
            {"replace": {"index": 0, "message": {"role": "user", "content": "hi"}}},
        ),
    ],
)
def test_each_operation_has_its_form(
    designer: Client,
    small: Workflow,
    operation: str,
    block: dict[str, Any],
    expected: dict[str, JsonValue],
) -> None:
    new = opened(designer, "/workflows/small/add-node/") | {
        "id": "compact",
        "type": "context_processor",
        "operation-operation": operation,
        "operation-pairing": "warn",
        **block,
    }
    answer = send(designer, "/workflows/small/add-node/", new)
    assert answer.status_code == 302, text(answer)
    assert node("compact").config == {"operation": operation, **expected}


def test_an_operation_without_its_block_is_named(designer: Client, small: Workflow) -> None:
    new = opened(designer, "/workflows/small/add-node/") | {
        "id": "compact",
        "type": "context_processor",
        "operation-operation": "truncate",
    }
    answer = send(designer, "/workflows/small/add-node/", new)
    assert answer.status_code == 422
    assert "keep_first" in text(answer)


def test_a_pause_has_its_reason_and_its_timeout(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/nodes/start/"
    sent = opened(designer, path) | {
        "pause": "after",
        "pause_reason": "Look at it.",
        "timeout_seconds": "1 min",
        "timeout_outcome": "reject",
    }
    assert send(designer, path, sent).status_code == 302
    assert node("start").config == {
        "pause": "after",
        "pause_reason": "Look at it.",
        "timeout": {"seconds": 60, "outcome": "reject"},
    }


def test_half_a_timeout_is_never_saved_and_the_missing_half_is_named(
    designer: Client, small: Workflow
) -> None:
    path = "/workflows/small/nodes/start/"
    form = opened(designer, path) | {"pause": "before"}
    for half, missing in (
        ({"timeout_seconds": "5 min"}, "outcome"),
        ({"timeout_outcome": "reject"}, "seconds"),
    ):
        answer = send(designer, path, form | half)
        assert answer.status_code == 422
        assert f'id="id_node-timeout_{missing}_error"' in text(answer)
        assert "5 min" in text(answer)
        assert 'name="force"' not in text(answer)
    assert (
        send(designer, path, form | {"timeout_seconds": "5 min", "force": "1"}).status_code == 422
    )
    assert node("start").config == {}


@pytest.mark.parametrize("typed", ["60", "soon", "0 s", "400 d"])
def test_a_timeout_is_a_duration_with_a_unit(designer: Client, small: Workflow, typed: str) -> None:
    path = "/workflows/small/nodes/start/"
    half = {"pause": "before", "timeout_seconds": typed, "timeout_outcome": "approve"}
    answer = send(designer, path, opened(designer, path) | half)
    assert answer.status_code == 422
    assert 'id="id_node-timeout_seconds_error"' in text(answer)


WRONG_CONFIGS: list[tuple[dict[str, JsonValue], str]] = [
    ({"pause": "after", "timeout": {"seconds": 300}}, "timeout_outcome"),
    ({"pause": "after", "timeout": {"outcome": "approve"}}, "timeout_seconds"),
    ({"pause": "after", "timeout": {"seconds": 300, "outcome": "wait"}}, "timeout_outcome"),
    ({"pause": "after", "timeout": {"seconds": "soon", "outcome": "cancel"}}, "timeout_seconds"),
    ({"pause": "after", "timeout": {"seconds": -5, "outcome": "cancel"}}, "timeout_seconds"),
    ({"pause": "after", "timeout": {"seconds": [1], "outcome": "cancel"}}, "timeout_seconds"),
    ({"pause": "after", "timeout": {}}, "config"),
    ({"pause": "after", "timeout": 20}, "config"),
    ({"pause": "after", "timeout": {"seconds": 5, "outcome": "cancel", "by": 1}}, "config"),
    ({"pause": "sometimes"}, "pause"),
    ({"pause": ["after"]}, "config"),
    ({"pause": "after", "pause_reason": "?" * 10_001}, "pause_reason"),
    ({"pause": "after", "pause_reason": 5}, "config"),
    ({"template": 5}, "config"),
]


@pytest.mark.parametrize(("config", "field"), WRONG_CONFIGS)
def test_a_wrong_config_opens_with_its_error_at_the_field(
    designer: Client, config: dict[str, JsonValue], field: str
) -> None:
    nodes: list[JsonValue] = [{"id": "start", "type": "start", "config": config}]
    made("wrong", {"name": "Wrong", "nodes": nodes, "edges": []})
    page = text(designer.get("/workflows/wrong/nodes/start/"))
    assert f'id="id_node-{field}_error"' in page
    assert "nothing was saved" not in page


def test_free_config_may_not_say_twice_what_has_a_field(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/nodes/answer/"
    sent = opened(designer, path) | {"config": '{"template": "other"}'}
    answer = send(designer, path, sent)
    assert answer.status_code == 422
    assert "its own field" in text(answer)


def test_bad_json_in_the_free_config_names_its_place(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/nodes/answer/"
    answer = send(designer, path, opened(designer, path) | {"config": '{"a": '})
    assert answer.status_code == 422
    assert "1 error" not in text(designer.get("/workflows/"))
