"""A changed workflow over recorded executions: what nodes would have seen otherwise."""

from itertools import count
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from checkpoints.contexts.what_if import TimeBudget, last_executions, what_if
from checkpoints.models import Checkpoint
from ctxadmin.identity.roles import Role, Scope
from tests.factories import assistant, person, user
from tests.integration.checkpoints.flows import (
    Run,
    edge,
    everything,
    node,
    ok,
    publish,
    refused,
    when,
)
from tests.openapi import CheckedApi
from workflows.domain.document import graph
from workflows.domain.running.plan import Plan

pytestmark = pytest.mark.django_db

NODES = [node("begin", "start"), node("write", "llm", context_type="pass_through"), node("send")]
EDGES = [edge("begin", "write"), edge("write", "send")]


@pytest.fixture
def api() -> CheckedApi:
    return CheckedApi([Scope.ENGINE, Scope.REVIEW, Scope.DESIGN])


@pytest.fixture
def run(api: CheckedApi) -> Run:
    """An execution in which every node ran once: two messages before, one by the node."""
    publish("letter", NODES, EDGES)
    return played(api)


def played(api: CheckedApi) -> Run:
    run = Run.start("letter", api, state={"prompt.tone": "kind", "secret": "x"})
    run.append(user("hello"), user("where is it?"))
    ok(run.complete("begin"))
    ok(run.append(user("please")))
    ok(run.complete("write", messages=[assistant("On its way.")], state_data={"draft": "done"}))
    ok(run.complete("send"))
    return run


def changed(*nodes: Any, edges: Any = None) -> dict[str, Any]:
    """The document with other nodes in place of those of their ids."""
    by_id = {each["id"]: each for each in (*NODES, *nodes)}
    listed = list(by_id.values())
    return {"name": "letter", "nodes": listed, "edges": EDGES if edges is None else edges}


def filtered(**fields: Any) -> dict[str, Any]:
    """The node ``write`` with a filter of its own."""
    return node("write", "llm", context_type="pass_through", context_filter=fields)


def rule(kind: str, pattern: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "pattern": pattern, **more}


def ask(api: CheckedApi, document: Any, **body: Any) -> Any:
    return ok(
        api.post("/workflows/letter/what-if", {"document": document, **(body or {"last": 5})})
    )


def only_input(answer: Any) -> Any:
    """The one input that changes."""
    (execution,) = answer["executions"]
    (found,) = execution["nodes"]
    return found


def test_the_same_document_changes_nothing(api: CheckedApi, run: Run) -> None:
    answer = ask(api, changed())
    (execution,) = answer["executions"]
    assert execution["conversation_id"] == run.head.public_id
    assert execution["nodes"] == []
    assert execution["inputs"] == 3
    assert answer["nodes"] == [
        {"node_id": name, "inputs": 1, "changed": 0} for name in ("begin", "write", "send")
    ]
    assert answer["left"] == []


def test_a_name_that_a_rule_takes_away_is_lost_by_that_rule(api: CheckedApi, run: Run) -> None:
    filters = {"rules": [rule("include", "*"), rule("exclude", "secret")]}
    found = only_input(ask(api, changed(filtered(**filters))))
    assert (found["node_id"], found["version"]) == ("write", 2)
    (change,) = found["changes"]
    assert change["section"] == "variables"
    assert (change["kind"], change["name"], change["rule"]) == ("lost", "secret", 1)
    assert change["step"] == "filter"
    assert change["reason"]


def test_what_a_published_filter_held_back_is_gained_without_it(api: CheckedApi) -> None:
    narrow = filtered(rules=[rule("exclude", "secret")], default_behavior="pass")
    publish("letter", [NODES[0], narrow, NODES[2]], EDGES)
    played(api)
    (change,) = only_input(ask(api, changed()))["changes"]
    assert (change["kind"], change["name"]) == ("gained", "secret")


def test_a_transform_changes_a_value(api: CheckedApi, run: Run) -> None:
    rules = [rule("transform", "prompt.tone", transform="uppercase")]
    found = only_input(ask(api, changed(filtered(rules=rules, default_behavior="pass"))))
    (change,) = found["changes"]
    assert (change["kind"], change["name"]) == ("changed", "prompt.tone")


def test_messages_that_came_before_the_node_answered_are_part_of_what_it_saw(
    api: CheckedApi, run: Run
) -> None:
    window = [{"operation": "truncate", "truncate": {"keep_last": 1}}]
    found = only_input(ask(api, changed(filtered(messages=window))))
    lost = [change["index"] for change in found["changes"]]
    assert lost == [0, 1]  # of 0, 1, 2: the answer, 3, is the node's own
    assert found["tokens_after"] < found["tokens_before"]


def test_a_message_that_a_filter_puts_in_is_gained(api: CheckedApi, run: Run) -> None:
    insert = {"position": 0, "messages": [{"role": "system", "content": "Be short."}]}
    found = only_input(
        ask(api, changed(filtered(messages=[{"operation": "insert", "insert": insert}])))
    )
    assert [(each["section"], each["kind"]) for each in found["changes"]] == [
        ("messages", "gained")
    ]


def test_another_template_is_a_change(api: CheckedApi, run: Run) -> None:
    other = {**NODES[1], "config": {"template": "Be kind."}}
    (change,) = only_input(ask(api, changed(other)))["changes"]
    assert (change["section"], change["kind"]) == ("template", "changed")


def test_what_happens_on_an_edge_changes_the_node_behind_it(api: CheckedApi, run: Run) -> None:
    narrow = {"type": "selective", "include_patterns": ["draft"]}
    edges = [EDGES[0], edge("write", "send", context_filter=narrow)]
    found = only_input(ask(api, changed(edges=edges)))
    assert found["node_id"] == "send"
    assert {(each["kind"], each["step"]) for each in found["changes"]} == {
        ("lost", "edge:write-send")
    }


def test_a_node_that_is_gone_and_an_edge_that_is_gone_are_reported(
    api: CheckedApi, run: Run
) -> None:
    without = {"name": "letter", "nodes": NODES[:2], "edges": EDGES[:1]}
    found = only_input(ask(api, without))
    assert (found["node_id"], found["problem"]) == ("send", "The document has no such node.")
    found = only_input(ask(api, changed(edges=EDGES[:1])))
    assert found["gone_edges"] == ["write-send"]
    assert found["problem"]


def test_a_node_that_would_lack_something_says_what(api: CheckedApi, run: Run) -> None:
    blind = filtered(rules=[], default_behavior="block", messages=[{"operation": "clear"}]) | {
        "context_type": "llm_context"
    }
    found = only_input(ask(api, changed(blind)))
    assert "neither a variable nor a message" in found["problem"]


def test_a_node_that_cannot_be_compiled_does_not_hinder_the_others(
    api: CheckedApi, run: Run
) -> None:
    wrong = node("write", "llm", context_filter={"rules": [rule("surprise", "a")]})
    narrow = {"type": "pass_none"}
    edges = [EDGES[0], edge("write", "send", context_filter=narrow)]
    (execution,) = ask(api, changed(wrong, edges=edges))["executions"]
    told = {each["node_id"]: each for each in execution["nodes"]}
    assert told["write"]["problem"]
    assert told["write"]["changes"] == []


def test_an_input_that_asks_for_too_much_work_says_so_and_the_others_are_compared(
    api: CheckedApi, run: Run, settings: Settings
) -> None:
    settings.MAX_PREVIEW_WORK = 10_000
    dear = filtered(rules=[rule("exclude", "*a" * 100 + f"*{number}*") for number in range(100)])
    narrow = edge("write", "send", context_filter={"type": "pass_none"})
    (execution,) = ask(api, changed(dear, edges=[EDGES[0], narrow]))["executions"]
    told = {each["node_id"]: each for each in execution["nodes"]}
    assert "takes more work than the 10000 units" in told["write"]["problem"]
    assert told["write"]["changes"] == []
    assert told["send"]["changes"]
    assert execution["inputs"] == 3


def test_a_join_is_entered_along_the_edges_that_brought_something(api: CheckedApi) -> None:
    nodes = [node("begin", "start"), node("a"), node("b"), node("meet", "join")]
    edges = [
        edge("begin", "a"),
        when("begin", "b", "context.never"),
        edge("a", "meet"),
        edge("b", "meet"),
    ]
    publish("letter", nodes, edges)
    run = Run.start("letter", api, state={"x": 1})
    for name in ("begin", "a", "meet"):
        ok(run.complete(name))
    narrow = edge("b", "meet", context_filter={"type": "pass_none"})
    document = {"name": "letter", "nodes": nodes, "edges": [*edges[:3], narrow]}
    assert ask(api, document)["executions"][0]["nodes"] == []
    narrow = edge("a", "meet", context_filter={"type": "pass_none"})
    document = {"name": "letter", "nodes": nodes, "edges": [*edges[:2], narrow, edges[3]]}
    assert only_input(ask(api, document))["node_id"] == "meet"


def test_the_last_executions_are_the_latest_and_named_ones_keep_their_order(
    api: CheckedApi, run: Run
) -> None:
    others = [played(api) for _ in range(3)]
    names = [each.snapshot()["execution"] for each in (run, *others)]
    last = ask(api, changed(), last=2)["executions"]
    assert [each["execution"] for each in last] == [names[3], names[2]]
    named = ask(api, changed(), executions=[names[0], names[2], names[0]])["executions"]
    assert [each["execution"] for each in named] == [names[0], names[2]]


def test_executions_of_others_are_not_found(api: CheckedApi, run: Run) -> None:
    publish("other", NODES, EDGES)
    foreign = Run.start("other", api).snapshot()["execution"]
    for name in (foreign, "nobody", "x" * 64):
        body = {"document": changed(), "executions": [name]}
        refused(api.post("/workflows/letter/what-if", body), 404, "not_found")
    stranger = CheckedApi([Scope.DESIGN], "far")
    last = {"document": changed(), "last": 1}
    refused(stranger.post("/workflows/letter/what-if", last), 404, "not_found")


def test_a_choice_is_asked_for_and_bounded(api: CheckedApi, run: Run) -> None:
    choices: list[dict[str, Any]] = [
        {},
        {"last": 0},
        {"last": 101},
        {"executions": []},
        {"executions": ["a"], "last": 1},
        {"executions": ["a"] * 101},
    ]
    for choice in choices:
        body = {"document": changed(), **choice}
        refused(api.post("/workflows/letter/what-if", body), 422, "validation")


def test_an_engine_alone_may_not_ask(run: Run) -> None:
    body = {"document": changed(), "last": 1}
    for scopes, status in (([Scope.ENGINE], 403), ([Scope.REVIEW], 200), ([Scope.DESIGN], 200)):
        answer = CheckedApi(scopes).post("/workflows/letter/what-if", body)
        assert answer.status_code == status


def test_nothing_is_stored(api: CheckedApi, run: Run) -> None:
    before = everything()
    ask(api, changed(filtered(rules=[rule("include", "x")])))
    assert everything() == before


def test_work_that_the_time_does_not_allow_is_skipped_and_named(api: CheckedApi, run: Run) -> None:
    played(api)
    reviewer = person(Role.REVIEWER)
    recorded = last_executions(reviewer, "letter", 5)
    plan = Plan(graph.read(changed()))
    found = what_if(reviewer, plan, recorded, TimeBudget(0))
    assert [each.complete for each in found.tried] == [False]
    assert found.tried[0].inputs.total() == 1
    assert list(found.left) == [recorded[1].row.public_id]
    ticks = count()
    some = what_if(reviewer, plan, recorded, TimeBudget(3, lambda: float(next(ticks))))
    assert some.tried[0].complete
    assert len(some.tried) == 1


def test_versions_whose_state_was_thinned_are_counted_and_left_out(
    api: CheckedApi, run: Run
) -> None:
    rows = Checkpoint.objects.filter(conversation=run.head.key, version=1)
    rows.update(thinned_at=timezone.now())
    (execution,) = ask(api, changed(filtered(rules=[rule("exclude", "secret")])))["executions"]
    assert execution["thinned"] == 1
    assert execution["inputs"] == 2
    assert execution["nodes"] == []


def test_an_input_costs_a_fixed_number_of_queries_and_a_changed_one_a_few_more(
    api: CheckedApi, run: Run
) -> None:
    reviewer = person(Role.REVIEWER)
    recorded = last_executions(reviewer, "letter", 1)
    counts: list[int] = []
    for document in (changed(), changed(filtered(rules=[rule("exclude", "secret")]))):
        with CaptureQueriesContext(connection) as asked:
            what_if(reviewer, Plan(graph.read(document)), recorded)
        counts.append(len(asked))
    assert counts[0] <= 2 + 3 * 6
    assert counts[1] <= counts[0] + 18
