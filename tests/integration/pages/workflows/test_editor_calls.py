"""What the graphical editor asks the server: forms, elements, words, previews; all unsaved."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pydantic import JsonValue

from ctxadmin.accounts.roles import Role
from ctxadmin.audit.models import AuditEntry
from ctxadmin.lib.json_bytes import dumps
from tests.factories import (
    assistant,
    browser,
    calls,
    conversation,
    engine,
    person,
    result,
    signed_in,
    system,
    user,
)
from tests.integration.pages.workflows.designing import fields
from workflows import services
from workflows.domain import graph

pytestmark = pytest.mark.django_db

CALLS = ("panel", "read", "words", "preview")
START: dict[str, JsonValue] = {"id": "start", "type": "start"}
ANSWER: dict[str, JsonValue] = {
    "id": "answer",
    "type": "llm",
    "name": "Answer",
    "position": {"x": 320.5, "y": 40},
    "context_type": "filter_in",
    "context_filter": {
        "rules": [{"type": "include", "pattern": "prompt.*"}],
        "messages": [{"operation": "truncate", "truncate": {"keep_last": 2}}],
    },
    "config": {"template": "Be short.", "temperature": 0.2},
}
GO: dict[str, JsonValue] = {
    "id": "go",
    "type": "conditional",
    "from": "start",
    "to": "answer",
    "condition": "context.priority === 'high'",
    "context_filter": {
        "type": "pass_all",
        "messages": [
            {"operation": "truncate", "truncate": {"keep_last": 6}},
            {"operation": "filter", "filter": {"roles": ["system", "user", "assistant"]}},
        ],
    },
}


def document(*nodes: Any, edges: Any = (GO,), **more: Any) -> dict[str, Any]:
    return {"name": "Small", "nodes": list(nodes or (START, ANSWER)), "edges": list(edges), **more}


@pytest.fixture
def designer() -> Client:
    made()
    return signed_in(Role.DESIGNER)


def made(slug: str = "small", workspace: str = "default") -> None:
    read = graph.read(document())
    services.import_document(person(Role.DESIGNER, workspace), read, slug, None)


def ask(client: Client, call: str, body: object, slug: str = "small") -> Any:
    data = body if isinstance(body, bytes) else dumps(body)
    path = f"/workflows/{slug}/editor/{call}/"
    return client.post(path, data, content_type="application/json")


def panel(client: Client, kind: str, name: str, given: Any = None) -> str:
    body = {"kind": kind, "id": name, "document": given or document()}
    answer = ask(client, "panel", body)
    assert answer.status_code == 200, answer.content
    return str(answer.content.decode())


def typed(client: Client, kind: str, name: str, given: Any = None) -> dict[str, Any]:
    """What a browser would send of the panel's form, its document filled in."""
    page = panel(client, kind, name, given).replace('id="panel-form"', 'id="element"')
    root = {"node": "node-", "edge": "edge-"}.get(kind, "")
    hidden = {"kind": kind, "id": name, "document": dumps(given or document()).decode()}
    shown = re.sub(r'<input type="hidden" name="(kind|id|document)"[^>]*>', "", page)
    return {f"{root}{key}": value for key, value in fields(shown).items()} | hidden


def read(client: Client, sent: dict[str, Any]) -> Any:
    answer = client.post("/workflows/small/editor/read/", sent)
    assert answer.status_code == 200, answer.content
    return answer.json()


def preview(client: Client, **body: Any) -> Any:
    answer = ask(client, "preview", {"document": document(), "node": "answer", **body})
    assert answer.status_code == 200, answer.content
    return answer.json()


# --- Who may ask, and what is refused ---------------------------------------------------------


def test_who_is_not_signed_in_hears_401_and_no_page() -> None:
    made()
    for call in CALLS:
        answer = ask(Client(), call, {"document": document()})
        assert answer.status_code == 401
        assert answer.json()["code"] == "unauthenticated"


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        (Role.VIEWER, {"words"}),
        (Role.REVIEWER, {"words", "preview"}),
        (Role.DESIGNER, set(CALLS)),
        (Role.ADMIN, set(CALLS)),
    ],
)
def test_each_role_may_what_the_table_says(role: Role, allowed: set[str]) -> None:
    made()
    client = signed_in(role)
    bodies = {
        "panel": {"kind": "node", "id": "answer", "document": document()},
        "words": {"document": document()},
        "preview": {"document": document(), "node": "answer"},
    }
    for call in CALLS:
        if call == "read":
            form = {"kind": "workflow", "document": "", "workflow-name": "X"}
            status = client.post("/workflows/small/editor/read/", form).status_code
        else:
            status = ask(client, call, bodies[call]).status_code
        assert status == (200 if call in allowed else 403), call


def test_a_foreign_workflow_and_conversation_are_not_found(designer: Client) -> None:
    made("theirs", "other")
    theirs = conversation(user("secret"), actor=engine(slug="other"))
    for call in CALLS:
        assert ask(designer, call, {"document": document()}, "theirs").status_code == 404
    body = {"document": document(), "node": "answer", "conversation": theirs.public_id}
    answer = ask(designer, "preview", body)
    assert answer.status_code == 404
    assert "secret" not in answer.content.decode()


def test_a_call_without_the_csrf_token_is_refused() -> None:
    made()
    client = browser(Role.DESIGNER)
    for call in CALLS:
        assert ask(client, call, {"document": document()}).status_code == 403


def test_who_opens_the_address_of_a_call_is_led_to_the_editor(designer: Client) -> None:
    for call in CALLS:
        answer = designer.get(f"/workflows/small/editor/{call}/")
        assert answer["Location"] == "/workflows/small/editor/"
        assert designer.put(f"/workflows/small/editor/{call}/").status_code == 405


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b'{"document": {"name": NaN}}', 400),
        (b'{"document": 1, "document": 2}', 422),
        (b"[]", 422),
        ({}, 422),
        ({"document": None}, 422),
        ({"document": []}, 422),
        ({"document": {"nodes": {}, "edges": []}}, 422),
        ({"document": {"nodes": []}}, 422),
        ({"document": document(), "surprise": 1}, 422),
        ({"document": document(*({"id": f"n{n}", "type": "x"} for n in range(10_001)))}, 422),
    ],
)
def test_bad_documents_get_a_clear_word(designer: Client, body: object, status: int) -> None:
    for call in ("words", "panel", "preview"):
        answer = ask(designer, call, body)
        assert answer.status_code == status, call
        assert answer["Content-Type"] == "application/problem+json"
        assert answer.json()["detail"]


def test_nothing_is_stored(designer: Client) -> None:
    before = AuditEntry.objects.count()
    sent = typed(designer, "node", "answer") | {"node-name": "Other"}
    read(designer, sent)
    ask(designer, "words", {"document": document()})
    preview(designer)
    assert AuditEntry.objects.count() == before


def test_no_call_asks_more_than_a_few_queries(designer: Client) -> None:
    chat = conversation(*(user(f"m{n}") for n in range(40)))
    many = document(*({"id": f"n{n}", "type": "llm"} for n in range(300)), edges=())
    bodies: dict[str, Any] = {
        "panel": {"kind": "node", "id": "n7", "document": many},
        "words": {"document": many},
        "preview": {"document": many, "node": "n7", "conversation": chat.public_id},
    }
    most = {"panel": 4, "words": 4, "preview": 14}
    for call, body in bodies.items():
        with CaptureQueriesContext(
            connection,
        ) as asked:
            assert ask(designer, call, body).status_code == 200
        assert len(asked) <= most[call], (call, [each["sql"] for each in asked])


# --- The panel --------------------------------------------------------------------------------


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
    named = {"kind": "workflow", "workflow-name": "Fresh", "document": dumps(given).decode()}
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
    taken = read(designer, sent | {"node-id": "start"})
    assert taken["element"] is None
    assert "taken" in taken["errors"][0]["message"]


def test_a_panel_shows_the_faults_of_an_element_at_its_fields(designer: Client) -> None:
    broken = {**GO, "condition": "context.a ===", "to": "gone"}
    page = panel(designer, "edge", "go", document(edges=[broken]))
    assert 'id="id_edge-condition_error"' in page
    assert 'id="id_edge-to_error"' in page
    assert "nothing was saved" not in page


def test_an_element_that_is_no_element_has_a_panel_that_says_what_is_left_out(
    designer: Client,
) -> None:
    broken = {**ANSWER, "position": "left", "surprise": 1}
    page = panel(designer, "node", "answer", document(START, broken))
    assert "left out" in page
    assert "position" in page
    assert "surprise" in page
    answer = read(designer, typed(designer, "node", "answer", document(START, broken)))
    assert answer["element"]["name"] == "Answer"
    assert "position" not in answer["element"]


# --- Words ------------------------------------------------------------------------------------


def test_words_tell_each_card_and_each_chip(designer: Client) -> None:
    told = ask(designer, "words", {"document": document()}).json()
    answer = told["nodes"]["answer"]
    assert answer["title"] == "Answer"
    assert answer["type_label"] == "llm"
    assert answer["context_label"] == "only what its filter lets in"
    assert answer["filter"] == ["only prompt.*", "last 2"]
    assert told["edges"]["go"] == {
        "label": "conditional",
        "chips": ["last 6", "no tools"],
        "condition": "if priority === 'high'",
        "problems": [],
    }
    assert told["problems"] == []


def test_words_name_problems_at_the_element_and_in_the_list(designer: Client) -> None:
    lost = {**GO, "id": "lost", "to": "nowhere"}
    told = ask(designer, "words", {"document": document(edges=[GO, lost])}).json()
    assert told["edges"]["lost"]["problems"][0].startswith("there is no node 'nowhere'")
    assert told["problems"][0]["pointer"] == "/edges/1/to"
    assert told["problems"][0]["edge"] == "lost"


def test_one_broken_element_leaves_the_words_of_the_others(designer: Client) -> None:
    broken = {"id": "broken", "type": "llm", "name": "Half", "position": 7}
    given = document(broken, 5, {"id": "bad id"}, START, ANSWER)
    told = ask(designer, "words", {"document": given}).json()
    assert told["nodes"]["answer"]["filter"] == ["only prompt.*", "last 2"]
    assert told["nodes"]["broken"]["title"] == "Half"
    assert "position" in told["nodes"]["broken"]["problems"][0]
    assert told["nodes"]["bad id"]["problems"]
    pointers = {each["pointer"] for each in told["problems"]}
    assert {"/nodes/0/position", "/nodes/1", "/nodes/2/id", "/nodes/2/type"} <= pointers


def test_problems_of_the_graph_count_places_as_the_browser_does(designer: Client) -> None:
    alone = {"id": "alone", "type": "llm"}
    told = ask(designer, "words", {"document": document({}, START, ANSWER, alone)}).json()
    found = next(each for each in told["problems"] if each["code"] == "unreachable_node")
    assert found["pointer"] == "/nodes/3"
    assert told["nodes"]["alone"]["problems"]


def test_words_of_a_changed_element_are_not_those_of_before(designer: Client) -> None:
    ask(designer, "words", {"document": document()})
    other = {**ANSWER, "name": "Renamed"}
    told = ask(designer, "words", {"document": document(START, other)}).json()
    assert told["nodes"]["answer"]["title"] == "Renamed"


def test_fields_that_no_document_has_are_named(designer: Client) -> None:
    told = ask(designer, "words", {"document": document(surprise=1, reducers=5)}).json()
    assert {each["pointer"] for each in told["problems"]} == {"/surprise", "/reducers"}


# --- Preview ----------------------------------------------------------------------------------


def test_a_preview_shows_what_the_document_of_the_browser_lets_through(designer: Client) -> None:
    chat = conversation(system("Be kind."), user("one"), assistant("two"), user("three"))
    other: dict[str, Any] = {
        **ANSWER,
        "context_type": "pass_through",
        "context_filter": {"messages": [{"operation": "truncate", "truncate": {"keep_last": 1}}]},
    }
    told = preview(designer, document=document(START, other), conversation=chat.public_id)
    assert told["tokens_after"] < told["tokens_before"]
    assert "three" in told["html"]
    assert told["html"].count("seen-dropped") == 3
    assert told["cached_prefix_lost"] == told["tokens_before"]


def test_a_pasted_context_is_previewed(designer: Client) -> None:
    context = {"variables": {"prompt.tone": "kind", "secret": "x"}, "history": [], "metadata": {}}
    told = preview(designer, context=context, messages=[user("hello")])
    assert "prompt.tone" in told["html"]
    assert re.search(r'seen-dropped">\s*<th scope="row"><code translate="no">secret', told["html"])
    assert told["problems"] == []


def test_a_preview_tells_whether_tool_pairs_are_whole(designer: Client) -> None:
    chat = conversation(user("a"), calls("c1"), result("c1"), assistant("b"))
    plain = {"id": "answer", "type": "llm"}
    whole = preview(
        designer, document=document(START, plain, edges=()), conversation=chat.public_id
    )
    assert "whole" in whole["html"]
    cut = {
        **plain,
        "context_filter": {
            "messages": [{"operation": "truncate", "truncate": {"keep_last": 2}, "pairing": "warn"}]
        },
    }
    split = preview(designer, document=document(START, cut, edges=()), conversation=chat.public_id)
    assert "split" in split["html"]
    assert split["problems"][0]["code"] == "incompatible_context"


def test_a_path_shows_every_step_from_the_start(designer: Client) -> None:
    between = {"id": "between", "type": "tool", "context_type": "isolate"}
    edges = [
        {"id": "a", "type": "sequence", "from": "start", "to": "between"},
        {"id": "b", "type": "sequence", "from": "between", "to": "answer"},
    ]
    given = document(START, between, ANSWER, edges=edges)
    told = preview(designer, document=given, path=True, messages=[user("x")])
    assert [(each["node"], each["edge"]) for each in told["steps"]] == [
        ("start", ""),
        ("between", "a"),
        ("answer", "b"),
    ]
    assert told["html"].count("<details") >= 3
    last = preview(designer, document=given, path=True, edges=["b"], messages=[user("x")])
    assert [each["node"] for each in last["steps"]] == ["start", "between", "answer"]


def test_a_node_that_nothing_leads_to_has_no_path(designer: Client) -> None:
    given = document(START, ANSWER, edges=())
    answer = ask(designer, "preview", {"document": given, "node": "answer", "path": True})
    assert answer.status_code == 422
    assert "No way leads" in answer.json()["detail"]


def test_a_broken_element_elsewhere_does_not_hinder_a_preview(designer: Client) -> None:
    broken = {"id": "broken", "type": "llm", "position": 7}
    wrong = {"id": "wrong", "type": "llm", "context_filter": {"rules": [{"type": "nonsense"}]}}
    told = preview(designer, document=document(broken, wrong, START, ANSWER), messages=[user("hi")])
    assert "hi" in told["html"]


@pytest.mark.parametrize(
    "node",
    [
        {"id": "answer", "type": "llm", "position": 7},
        {"id": "answer", "type": "llm", "context_filter": {"rules": [{"type": "nonsense"}]}},
    ],
)
def test_a_broken_node_itself_gets_a_clear_word(designer: Client, node: Any) -> None:
    answer = ask(designer, "preview", {"document": document(START, node), "node": "answer"})
    assert answer.status_code == 422
    assert answer.json()["errors"]


def test_a_conversation_and_a_context_together_are_refused(designer: Client) -> None:
    body = {
        "document": document(),
        "node": "answer",
        "conversation": "chat",
        "messages": [user("x")],
    }
    assert ask(designer, "preview", body).status_code == 422
    assert (
        ask(designer, "preview", {"document": document(), "node": "answer", "at": 1}).status_code
        == 422
    )


def test_hostile_text_is_text_everywhere(designer: Client) -> None:
    script = "<script>alert(1)</script>"
    node = {**ANSWER, "name": script, "description": script, "config": {"template": script}}
    edge = {**GO, "condition": f"context.a === '{script}'"}
    given = document(START, node, edges=[edge], reducers={"a": script})
    for kind, name in (("node", "answer"), ("edge", "go"), ("reducers", ""), ("workflow", "")):
        assert script not in panel(designer, kind, name, given)
    context = {"variables": {"prompt.x": script, script: 1}, "metadata": {script: script}}
    told = preview(designer, document=given, context=context, messages=[user(script)])
    assert script not in told["html"]
    along = preview(designer, document=given, context=context, path=True)
    assert script not in along["html"]


def test_elements_of_one_id_have_words_of_their_own(designer: Client) -> None:
    twins = [{"id": "twin", "type": "llm"}, {"id": "twin", "type": "tool"}]
    loose = {"id": "go", "type": "sequence", "from": "start", "to": "nowhere"}
    given = document(START, *twins, edges=(loose, {**loose, "to": "twin"}))
    told = ask(designer, "words", {"document": given}).json()
    first, second = told["nodes"]["twin"], told["nodes"]["twin~2"]
    assert (first["type_label"], second["type_label"]) == ("llm", "tool")
    taken = "another node has the id 'twin'"
    assert (taken in first["problems"], taken in second["problems"]) == (False, True)
    dangling = "there is no node 'nowhere'"
    assert dangling in told["edges"]["go"]["problems"]
    assert dangling not in told["edges"]["go~2"]["problems"]
