"""Entering nodes: filters of edges and nodes, messages, refusals; nothing is written."""

import pytest
from pytest_django import Settings

from ctxadmin.identity.roles import Scope
from tests.factories import Api, assistant, calls, conversation, result, system, user
from tests.integration.checkpoints.flows import (
    Run,
    chain,
    edge,
    everything,
    node,
    ok,
    publish,
    refused,
)

pytestmark = pytest.mark.django_db


def test_a_free_node_sees_everything() -> None:
    run = Run.start(state={"k": {"deep": [1]}, "messages": [user("x")]}, metadata={"m": 1})
    seen = ok(run.enter("any node"))
    assert seen["context"]["variables"] == {"k": {"deep": [1]}}
    assert seen["context"]["metadata"] == {"m": 1}
    assert [message["content"] for message in seen["messages"]] == ["x"]
    assert (seen["version"], seen["edges"], seen["warnings"], seen["conflicts"]) == (0, [], [], [])
    assert "explanation" not in seen


def test_an_idle_conversation_can_be_entered() -> None:
    run = Run(Api(), conversation(user("x"), metadata=b'{"m":1}'))
    seen = ok(run.enter("a"))
    assert (seen["version"], seen["context"]["metadata"]) == (0, {"m": 1})
    assert seen["execution"] is None
    assert len(seen["messages"]) == 1


def test_ids_with_the_execution_are_of_one_execution() -> None:
    """As the how-to makes them: versions begin at 0 again, ids are those of the conversation."""
    chain("w", "a", "b")
    run = Run.start("w")
    made = []
    for _ in range(2):
        for name in ("a", "b"):
            seen = ok(run.enter(name))
            assert seen["execution"] == run.snapshot()["execution"]
            made.append(f"{name}-v{seen['version']}-{seen['execution'][-8:]}")
            ended = run.complete(name, made[-1], result={"response": "same words"}, enter_next=True)
            assert ended.status_code == 201
            following = ended.json()["entered"]
            assert following is None or following["execution"] == seen["execution"]
        assert run.snapshot()["status"] == "COMPLETED"
        ok(run.post("executions", {"workflow": "w"}))
    assert len(set(made)) == 4


def test_the_metadata_of_the_execution_override_those_of_the_conversation() -> None:
    run = Run(Api(), conversation(metadata=b'{"a":1,"b":1}'))
    ok(run.post("executions", {"metadata": {"b": 2}}))
    assert ok(run.enter("n"))["context"]["metadata"] == {"a": 1, "b": 2}


def test_edges_and_nodes_filter_what_is_seen_and_the_flow_continues_unfiltered() -> None:
    hides = {"type": "selective", "exclude_patterns": ["secret.*"]}
    keeps = {"rules": [{"type": "include", "pattern": "plan"}], "default_behavior": "block"}
    nodes = [
        node("a"),
        node("b", context_type="filter_in", context_filter=keeps, config={"template": "T"}),
        node("c"),
    ]
    publish("w", nodes, [edge("a", "b", context_filter=hides), edge("b", "c")])
    run = Run.start("w", state={"plan": 1, "secret.key": 2, "other": 3})
    ok(run.complete("a"))
    seen = ok(run.enter("b", explain=True))
    assert seen["edges"] == ["a-b"]
    assert seen["context"]["variables"] == {"plan": 1}
    assert seen["context"]["template"] == "T"
    verdicts = {
        decision.get("name"): decision["verdict"]
        for decision in seen["explanation"]
        if decision["section"] == "variables"
    }
    assert verdicts == {"plan": "kept", "secret.key": "dropped", "other": "dropped"}
    ok(run.complete("b"))
    assert ok(run.enter("c"))["context"]["variables"].keys() == {"plan", "secret.key", "other"}


def test_the_edges_may_be_named() -> None:
    hides = {"type": "pass_none"}
    publish("w", [node("a"), node("b")], [edge("a", "b", context_filter=hides)])
    run = Run.start("w", state={"k": 1})
    assert ok(run.enter("b"))["context"]["variables"] == {"k": 1}
    assert ok(run.enter("b", edges=["a-b"]))["context"]["variables"] == {}
    ok(run.complete("a"))
    assert ok(run.enter("b"))["context"]["variables"] == {}
    assert ok(run.enter("b", edges=[]))["context"]["variables"] == {"k": 1}


def test_a_join_unites_what_came_and_tells_clashes() -> None:
    renames = {
        "type": "transform",
        "transform_rules": [{"pattern": "k", "transform": "to_string"}],
    }
    nodes = [node("a"), node("b"), node("c"), node("join", "merge")]
    edges = [
        edge("a", "b"),
        edge("a", "c"),
        edge("b", "join"),
        edge("c", "join", context_filter=renames),
    ]
    publish("w", nodes, edges)
    run = Run.start("w", state={"k": 1})
    ok(run.complete("a"))
    assert run.snapshot()["ready_nodes"] == ["b", "c"]
    ok(run.complete("b"))
    assert run.snapshot()["ready_nodes"] == ["c"]
    ok(run.complete("c"))
    seen = ok(run.enter("join"))
    assert seen["edges"] == ["b-join", "c-join"]
    (clash,) = seen["conflicts"]
    assert (clash["section"], clash["name"]) == ("variables", "k")


def test_a_node_may_see_fewer_messages_and_no_batch_is_opened() -> None:
    last = {"messages": [{"operation": "truncate", "truncate": {"keep_last": 2}}]}
    publish("w", [node("a", context_filter=last)], [])
    run = Run.start("w", state={"messages": [user(str(n)) for n in range(5)]})
    before = everything()
    seen = ok(run.enter("a"))
    assert [message["content"] for message in seen["messages"]] == ["3", "4"]
    assert everything() == before


def test_the_view_is_what_is_visible_and_not_the_log() -> None:
    run = Run.start(state={"messages": [user("one"), assistant("two"), user("three")]})
    ok(run.post("operations", {"operation": "filter", "filter": {"roles": ["user"]}}))
    ok(run.append(system("four")))
    seen = ok(run.enter("a"))
    assert [message["content"] for message in seen["messages"]] == ["one", "three", "four"]
    assert [message["index"] for message in seen["messages"]] == [0, 2, 3]


def test_history_is_that_of_completed_nodes() -> None:
    run = Run.start()
    ok(run.complete("a", "c1", result={"prompt": "p", "response": "r"}))
    ok(run.complete("a", "c2", result={"error": "broken"}))
    history = ok(run.enter("b"))["context"]["history"]
    assert [(entry["node_id"], entry["prompt"]) for entry in history] == [("a", "p")]


def test_a_model_node_with_a_split_pair_is_refused_with_the_indices() -> None:
    publish("w", [node("ask", "llm", context_type="pass_through")], [])
    run = Run.start("w", state={"messages": [user("q"), calls("c1"), result("c1"), user("so?")]})
    assert len(ok(run.enter("ask"))["messages"]) == 4
    ok(
        run.post(
            "operations", {"operation": "truncate", "truncate": {"range": {"start": 0, "end": 2}}}
        )
    )
    problem = refused(run.enter("ask"), 422, "incompatible_context")
    assert problem["indices"] == [1]


def test_a_model_node_without_anything_to_read_is_refused() -> None:
    publish("w", [node("ask", "llm")], [])
    problem = refused(Run.start("w").enter("ask"), 422, "incompatible_context")
    assert problem["missing"]


def test_a_free_node_has_no_edges() -> None:
    refused(Run.start().enter("a", edges=["x"]), 422, "validation", "/edges/0")


def test_an_edge_that_does_not_lead_to_the_node_is_refused() -> None:
    chain("w", "a", "b", "c")
    run = Run.start("w")
    refused(run.enter("c", edges=["b-c", "a-b"]), 422, "validation", "/edges/1")


def test_an_unknown_node_is_not_found() -> None:
    chain("w", "a")
    refused(Run.start("w").enter("z"), 404, "not_found")
    refused(Run.start().enter("x" * 129), 404, "not_found")


def test_an_unknown_field_is_refused() -> None:
    refused(Run.start().enter("a", explian=True), 422, "validation", "/explian")


@pytest.mark.parametrize("move", ["cancel", "pause"])
def test_entering_reads_in_any_status(move: str) -> None:
    run = Run.start()
    ok(run.post(move))
    assert run.enter("a").status_code == 200


def test_entering_writes_nothing() -> None:
    chain("w", "a", "b")
    run = Run.start("w", state={"k": 1})
    before = everything()
    ok(run.enter("a", explain=True))
    assert everything() == before


def test_a_preview_sees_the_state_of_the_execution() -> None:
    chain("w", "a", "b")
    run = Run.start("w", state={"k": 1, "messages": [user("x")]}, metadata={"m": 2})
    ok(run.save("c1", "a", state_data={"k": 2}, messages=[user("y")]))
    designer = Api([Scope.DESIGN])
    body = {"node": "b", "conversation_id": run.head.public_id}
    now = ok(designer.post("/workflows/w/preview", body))
    then = ok(designer.post("/workflows/w/preview", {**body, "at": 0}))
    assert now["context"]["variables"] == {"k": 2}
    assert now["context"]["metadata"] == {"m": 2}
    assert then["context"]["variables"] == {"k": 1}
    assert [len(seen["messages"]) for seen in (now, then)] == [2, 1]
    refused(designer.post("/workflows/w/preview", {**body, "at": 9}), 404, "not_found")


def test_filters_that_take_too_much_work_keep_a_node_from_being_entered(
    settings: Settings,
) -> None:
    settings.MAX_PREVIEW_WORK = 10_000
    many = [{"type": "exclude", "pattern": f"*x{number}*"} for number in range(50)]
    publish("w", [node("a"), node("b", context_filter={"rules": many})], [edge("a", "b")])
    run = Run.start("w", state={f"name.{number}": 1 for number in range(500)})
    completed = ok(run.complete("a", enter_next=True))
    assert completed["entered"]["problem"]["code"] == "too_large"
    assert refused(run.enter("b"), 413, "too_large")["limit"] == 10_000
    settings.MAX_PREVIEW_WORK = 10_000_000
    assert len(ok(run.enter("b"))["context"]["variables"]) == 500
