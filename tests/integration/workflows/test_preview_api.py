"""What a node would see: of drafts, versions and unsaved documents, on conversations and states."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from conversations.domain.configs import read_operation
from conversations.models import Conversation
from conversations.services.use_cases import apply_operation
from ctxadmin.identity.roles import Scope
from ctxadmin.lib.errors import NotFound
from tests.factories import Api, assistant, calls, conversation, engine, result, system, user
from tests.integration.workflows.documents import document, edge, node
from tests.openapi import CheckedApi
from tests.problems import assert_problem
from workflows.reading import sources
from workflows.reading.sources import ExecutionState

pytestmark = pytest.mark.django_db

LAST_TWO = {"messages": [{"operation": "truncate", "truncate": {"keep_last": 2}}]}
BODY = document(
    node("begin", "start"),
    node("ask", "llm", config={"template": "Ask"}, context_filter=LAST_TWO),
    node("both", "merge"),
    edges=[
        edge("go", "begin", "ask", context_filter={"type": "selective", "exclude_patterns": ["x"]}),
        edge("left", "begin", "both"),
        edge("right", "ask", "both", context_filter={"type": "pass_none"}),
    ],
)


@pytest.fixture
def flow(api: CheckedApi) -> str:
    """A workflow with BODY as its draft."""
    api.post("/workflows", {"slug": "flow"})
    put = api.put("/workflows/flow/draft", {"document": BODY, "expected_version": 0})
    assert put.json()["problems"] == []
    return "flow"


def preview(api: Api, node_id: str, **fields: Any) -> Any:
    return api.post("/workflows/flow/preview", {"node": node_id, **fields})


# -- of a given context


def test_a_node_sees_a_given_context_with_its_own_template(api: CheckedApi, flow: str) -> None:
    context = {"template": "none", "variables": {"llm.model": "m", "x": 1}}
    messages = [system("s"), user("a"), assistant("b")]
    shown = preview(api, "ask", context=context, messages=messages).json()
    assert shown["context"]["template"] == "Ask"
    assert shown["context"]["variables"] == {"llm.model": "m"}
    assert [message["content"] for message in shown["messages"]] == ["a", "b"]
    assert shown["problems"] == []
    told = {(each["section"], each.get("name"), each.get("index")) for each in shown["explanation"]}
    assert {("variables", "x", None), ("messages", None, 0)} <= told


def test_tokens_before_and_after_and_of_the_lost_prefix_are_reported(
    api: CheckedApi, flow: str
) -> None:
    messages = [system("s" * 100), user("a"), assistant("b")]
    shown = preview(api, "ask", context={}, messages=messages).json()
    after = sum(message["tokens"] for message in shown["messages"])
    assert shown["tokens_after"] == after
    assert shown["tokens_before"] > after
    assert shown["cached_prefix_lost"] == shown["tokens_before"]


def test_edges_are_applied_and_their_clashes_reported(api: CheckedApi, flow: str) -> None:
    context = {"variables": {"x": 1, "y": 2}}
    free = preview(api, "both", context=context).json()
    assert free["context"]["variables"] == {"x": 1, "y": 2}
    one = preview(api, "both", context=context, edges=["right"]).json()
    assert one["context"]["variables"] == {}
    both = preview(api, "both", context=context, edges=["left", "right"]).json()
    assert both["context"]["variables"] == {"x": 1, "y": 2}
    assert both["conflicts"] == []


def test_nothing_given_is_an_empty_context_in_which_an_llm_node_lacks_something(
    api: CheckedApi, flow: str
) -> None:
    shown = preview(api, "ask").json()
    assert shown["messages"] == []
    lack = shown["problems"][0]
    assert (lack["code"], lack["node"]) == ("incompatible_context", "ask")
    assert lack["missing"] == ["variables", "messages"]


def test_a_split_pair_is_reported_before_it_is_run(api: CheckedApi, flow: str) -> None:
    messages = [user("a"), calls("c1"), result("c1"), assistant("b")]
    shown = preview(api, "ask", context={"variables": {"llm.x": 1}}, messages=messages).json()
    assert shown["warnings"][0]["code"] == "split_pair"
    assert shown["problems"][0]["indices"] == [2]


# -- of drafts, versions, documents


def test_a_document_of_the_request_is_previewed_without_being_saved(
    api: CheckedApi, flow: str
) -> None:
    body = document(
        node("new", "tool"),
        node("alone"),
        edges=[edge("e", "new", "nowhere")],
    )
    shown = preview(api, "new", document=body, context={"variables": {"tool.a": 1, "b": 2}}).json()
    assert shown["context"]["variables"] == {"tool.a": 1}
    assert {each["code"] for each in shown["problems"]} == {"dangling_edge"}
    assert api.get(f"/workflows/{flow}").json()["draft_version"] == 1


def test_a_version_is_previewed_as_it_was_published(api: CheckedApi, flow: str) -> None:
    api.post(f"/workflows/{flow}/publish", {"expected_version": 1})
    empty = document(node("begin", "start"))
    api.put(f"/workflows/{flow}/draft", {"document": empty, "expected_version": 1})
    assert_problem(preview(api, "ask"), 404, "not_found")
    assert preview(api, "ask", version=1).status_code == 200
    assert_problem(preview(api, "ask", version=2), 404, "not_found")


def test_a_broken_node_is_refused_where_it_is_broken(api: CheckedApi, flow: str) -> None:
    body = document(
        node("begin", "start"),
        node("bad", context_type="lmm_context"),
        edges=[edge("go", "begin", "bad", context_filter={"type": "selective"})],
    )
    unsaved = preview(api, "bad", document=body)
    assert_problem(unsaved, 422, "validation", "/document/nodes/1/context_type")
    assert preview(api, "begin", document=body).status_code == 200
    api.put(f"/workflows/{flow}/draft", {"document": body, "expected_version": 1})
    assert_problem(preview(api, "bad"), 422, "validation", "/nodes/1/context_type")
    body["nodes"][1]["context_type"] = "isolate"
    along = preview(api, "bad", document=body, edges=["go"])
    assert_problem(along, 422, "validation", "/document/edges/0/context_filter/include_patterns")


@pytest.mark.parametrize(
    ("fields", "status", "code", "pointer"),
    [
        ({"node": "nothing"}, 404, "not_found", None),
        ({"node": "a b"}, 422, "validation", "/node"),
        ({"edges": ["nothing"]}, 422, "validation", "/edges/0"),
        ({"edges": ["left"]}, 422, "validation", "/edges/0"),
        ({"edges": ["go", "go"]}, 422, "validation", "/edges/1"),
        ({"conversation_id": "nothing"}, 404, "not_found", None),
        ({"conversation_id": "c", "context": {}}, 422, "validation", "/context"),
        ({"conversation_id": "c", "messages": [user("x")]}, 422, "validation", "/messages"),
        ({"at": 1}, 422, "validation", "/at"),
        ({"version": 1, "document": BODY}, 422, "validation", "/version"),
        ({"version": 0}, 422, "validation", "/version"),
        ({"context": {"variables": 3}}, 422, "validation", "/context/variables"),
        ({"messages": [{"role": "robot", "content": "x"}]}, 422, "validation", "/messages/0/role"),
        ({"document": {"name": "x"}}, 422, "validation", "/document/nodes"),
        ({"extra": 1}, 422, "validation", "/extra"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_cannot_be_previewed_is_refused(
    api: CheckedApi, flow: str, fields: Any, status: int, code: str, pointer: str | None
) -> None:
    answer = preview(api, **{"node_id": fields.pop("node", "ask"), **fields})
    assert_problem(answer, status, code, pointer)


# -- of conversations


def test_a_conversation_shows_its_visible_messages_and_metadata(api: CheckedApi, flow: str) -> None:
    chat = conversation(
        system("s"), user("a"), assistant("b"), public_id="chat", metadata=b'{"owner": "anna"}'
    )
    apply_operation(
        engine(), "chat", read_operation({"operation": "truncate", "truncate": {"keep_last": 2}})
    )
    shown = preview(api, "both", conversation_id="chat").json()
    assert [message["index"] for message in shown["messages"]] == [1, 2]
    assert shown["messages"][0]["author"] == "token:test engine"
    assert shown["context"]["metadata"] == {"owner": "anna"}
    assert shown["tokens_before"] == Conversation.objects.get(key=chat.key).visible_tokens


def test_a_foreign_conversation_is_not_found(api: CheckedApi, flow: str) -> None:
    conversation(user("a"), public_id="chat", actor=engine(slug="elsewhere"))
    assert_problem(preview(api, "ask", conversation_id="chat"), 404, "not_found")


def test_messages_that_the_node_changes_and_puts_in_are_shown(api: CheckedApi, flow: str) -> None:
    conversation(user("a"), assistant("b"), public_id="chat")
    insert = {"operation": "insert", "insert": {"position": 0, "messages": [system("New.")]}}
    rule = {"type": "transform", "pattern": "user", "target": "messages", "transform": "uppercase"}
    body = document(node("n", context_filter={"rules": [rule], "messages": [insert]}))
    shown = preview(api, "n", document=body, conversation_id="chat").json()
    assert [message["content"] for message in shown["messages"]] == ["New.", "A", "b"]
    assert shown["messages"][0]["index"] == 2
    assert Conversation.objects.get(public_id="chat").log_count == 2


def test_a_preview_of_many_messages_takes_few_queries(api: CheckedApi, flow: str) -> None:
    counts = []
    for length in (2, 200):
        conversation(*[user(str(place)) for place in range(length)], public_id=f"c{length}")
        with CaptureQueriesContext(connection) as queries:
            assert preview(api, "both", conversation_id=f"c{length}").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 16


def test_without_edges_a_node_is_entered_along_its_usual_ones_and_the_answer_names_them(
    api: CheckedApi, flow: str
) -> None:
    context = {"variables": {"llm.model": "m", "x": 1}}
    usual = preview(api, "ask", context=context).json()
    assert usual["edges"] == ["go"]
    assert "x" not in usual["context"]["variables"]
    assert preview(api, "both", context=context).json()["edges"] == ["left", "right"]
    out_of_turn = preview(api, "ask", context=context, edges=[]).json()
    assert out_of_turn["edges"] == []
    assert any(
        each.get("name") == "x" and each["step"] != "edge:go" for each in out_of_turn["explanation"]
    )


# -- of executions


@pytest.fixture
def execution() -> Iterator[dict[int, ExecutionState]]:
    """Versions of the state of every conversation, as the app of executions would give them."""
    states: dict[int, ExecutionState] = {}

    def source(head: Conversation, version: int | None) -> ExecutionState | None:
        if version is None:
            return states[max(states)]
        if version not in states:
            raise NotFound(f"There is no version {version}.")
        return states[version]

    before = list(sources.SOURCES)
    sources.register_state_source(source)
    yield states
    sources.SOURCES[:] = before


def state(version: int, **fields: Any) -> ExecutionState:
    usual: dict[str, Any] = {
        "values": {"v": version},
        "history": [{"node_id": "begin", "status": "COMPLETED", "prompt": "p", "response": "r"}],
        "metadata": {"owner": "execution"},
        "revision": 0,
        "visible_count": version,
    }
    return ExecutionState(version=version, **(usual | fields))


def test_the_latest_state_is_seen_with_the_current_messages(
    api: CheckedApi, flow: str, execution: dict[int, ExecutionState]
) -> None:
    conversation(
        user("a"), user("b"), user("c"), public_id="chat", metadata=b'{"owner": "x", "k": 1}'
    )
    execution |= {1: state(1), 2: state(2)}
    shown = preview(api, "both", conversation_id="chat").json()
    assert shown["context"]["variables"] == {"v": 2}
    assert shown["context"]["metadata"] == {"owner": "execution", "k": 1}
    assert [entry["node_id"] for entry in shown["context"]["history"]] == ["begin"]
    assert len(shown["messages"]) == 3


def test_a_version_is_seen_with_the_messages_of_then(
    api: CheckedApi, flow: str, execution: dict[int, ExecutionState]
) -> None:
    conversation(user("a"), user("b"), user("c"), public_id="chat")
    execution |= {1: state(1), 2: state(2)}
    shown = preview(api, "both", conversation_id="chat", at=1).json()
    assert shown["context"]["variables"] == {"v": 1}
    assert [message["content"] for message in shown["messages"]] == ["a"]
    assert_problem(preview(api, "both", conversation_id="chat", at=3), 404, "not_found")


def test_a_version_of_a_conversation_without_an_execution_is_not_found(
    api: CheckedApi, flow: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "SOURCES", [])
    conversation(user("a"), public_id="chat")
    assert_problem(preview(api, "both", conversation_id="chat", at=0), 404, "not_found")
    assert preview(api, "both", conversation_id="chat").json()["context"]["variables"] == {}


# -- who may


def test_a_preview_needs_the_scope_design_or_review(api: CheckedApi, flow: str) -> None:
    assert preview(CheckedApi([Scope.REVIEW]), "both").status_code == 200
    assert_problem(preview(CheckedApi([Scope.ENGINE]), "both"), 403, "forbidden")
    assert_problem(preview(CheckedApi([]), "both"), 403, "forbidden")


def test_the_state_of_a_real_execution_is_seen(flow: str, api: CheckedApi) -> None:
    runner = Api()
    runner.post("/conversations", {"id": "run", "messages": [user("a")]})
    runner.post("/conversations/run/executions", {"state": {"tool.x": 1}, "metadata": {"k": "e"}})
    save = {"node_id": "begin", "state_data": {"tool.y": 2}, "messages": [user("b")]}
    saved = runner.put("/conversations/run/checkpoints/c1", save)
    assert saved.status_code == 201, saved.content
    newest = preview(api, "both", conversation_id="run").json()
    assert newest["context"]["variables"] == {"tool.x": 1, "tool.y": 2}
    assert newest["context"]["metadata"] == {"k": "e"}
    first = preview(api, "both", conversation_id="run", at=0).json()
    assert first["context"]["variables"] == {"tool.x": 1}
    assert [message["content"] for message in first["messages"]] == ["a"]


# -- work


def test_a_preview_that_asks_for_too_much_work_is_refused_with_what_took_it(
    api: CheckedApi, flow: str, settings: Settings
) -> None:
    settings.MAX_PREVIEW_WORK = 250_000
    context = {"variables": {f"name.{number}": 1 for number in range(1_000)}}
    patterns = [f"*{number}*" for number in range(100)]
    edge_filter = {"type": "selective", "exclude_patterns": patterns}
    dear = document(
        node("begin", "start"),
        node("ask", "llm"),
        edges=[edge("go", "begin", "ask", context_filter=edge_filter)],
    )
    refused = preview(api, "ask", document=dear, context=context)
    assert_problem(refused, 413, "too_large")
    assert refused.json()["limit"] == 250_000
    assert refused.json()["detail"].startswith("Comparing the names of variables with rules takes")
