"""Entering with what is known: the part that the engine has and the answer are the whole list."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.examples import examples
from tests.factories import assistant, calls, result, system, user
from tests.integration.checkpoints.flows import Run, edge, node, ok, publish, refused, when
from tests.openapi import CheckedApi

pytestmark = pytest.mark.django_db

TRUNCATE = {"operation": "truncate", "truncate": {"remove_last": 1}}


def keeping(**options: Any) -> dict[str, Any]:
    """A filter that truncates, and keeps pairs."""
    return {"messages": [{"operation": "truncate", "truncate": options, "pairing": "keep"}]}


def budget(most: int, target: int, **options: Any) -> dict[str, Any]:
    """A filter that keeps a budget."""
    block = {"max_tokens": most, "target_tokens": target, **options}
    return {"messages": [{"operation": "budget", "budget": block}]}


HIDES_TOOLS = {
    "messages": [{"operation": "filter", "filter": {"roles": ["user", "assistant"]}}],
}
SHOUTS = {
    "rules": [
        {"type": "transform", "pattern": "user", "target": "messages", "transform": "uppercase"}
    ]
}
PUTS_IN = {
    "messages": [
        {"operation": "insert", "insert": {"position": -1, "messages": [system("by a filter")]}}
    ]
}
SOMETIMES = {
    "rules": [
        {"type": "exclude", "pattern": "tool", "target": "messages", "condition": "context.k > 2"}
    ]
}
FILTERS: dict[str, Any] = {
    "plain": None,
    "head": keeping(keep_first=3),
    "tail": keeping(keep_last=3),
    "both": keeping(keep_first=1, keep_last=2),
    "dropping": {
        "messages": [{"operation": "truncate", "truncate": {"remove_first": 1}, "pairing": "drop"}]
    },
    "talk": HIDES_TOOLS,
    "loud": SHOUTS,
    "inserting": PUTS_IN,
    "sometimes": SOMETIMES,
    "budget": budget(40, 15),
    "turns": budget(40, 15, drop="oldest_turns", keep_first=1),
    "results": budget(30, 20, drop="tool_results", keep_last_results=1, placeholder=""),
}
# Nodes with a filter of their own, and nodes behind edges that filter.
NODES = [
    node("begin"),
    *[
        node(name, **({"context_filter": given} if given else {}))
        for name, given in FILTERS.items()
    ],
    node("alone", context_type="isolate"),
    *[node(name) for name in ("conditional", "narrow", "behind", "twice")],
    node("out", outgoing_filter=keeping(keep_first=1)),
]
EDGES = [
    when("begin", "conditional", "context.k > 2"),
    edge("begin", "narrow", context_filter={"type": "pass_all", **keeping(keep_last=2)}),
    edge("begin", "plain"),
    edge("begin", "out"),
    edge("out", "behind"),
    edge("begin", "twice"),
    edge("plain", "twice", context_filter={"type": "selective", "include_patterns": ["k"]}),
]
ENTERED: list[tuple[str, list[str]]] = [
    *[(name, []) for name in FILTERS],
    ("plain", ["begin-plain"]),
    ("alone", []),
    ("conditional", ["begin-conditional"]),
    ("narrow", ["begin-narrow"]),
    ("narrow", []),
    ("behind", ["out-behind"]),
    ("twice", ["begin-twice", "plain-twice"]),
    ("twice", ["plain-twice"]),
]


class Engine:
    """Holds what it was answered for each node, and puts together what it is answered next."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.held: dict[str, list[tuple[dict[str, int], list[Any]]]] = {}
        self.saved = self.all = 0

    def look(self, node_id: str, edges: list[str] | None = None) -> None:
        """Enter a node again, and with all that was known of it; the lists must be the same."""
        asked = {} if edges is None else {"edges": edges}
        whole = ok(self.run.enter(node_id, **asked))
        assert "messages_from" not in whole
        for known, messages in self.held.get(node_id, []):
            found = ok(self.run.enter(node_id, known=known, **asked))
            start = found.pop("messages_from")
            assert start <= len(messages)
            assert [*messages[:start], *found.pop("messages")] == whole["messages"], known
            assert found == {key: value for key, value in whole.items() if key != "messages"}
            self.saved += start
            self.all += len(whole["messages"])
        known = {"revision": whole["revision"], "count": whole["count"]}
        self.held.setdefault(node_id, []).append((known, whole["messages"]))


def started() -> Run:
    publish("w", NODES, EDGES)
    return Run.start("w", CheckedApi(), state={"k": 0, "messages": [system("s"), user("q")]})


def steps(run: Run, chance: random.Random) -> Iterator[Callable[[], Any]]:
    """What may happen between two looks."""
    counter = iter(range(1000))

    def append() -> Any:
        number = next(counter)
        return run.append(
            *chance.choice(
                [
                    [user(f"u{number}")],
                    [assistant(f"a{number}"), user("")],
                    [calls("c"), result("c")],
                    [calls("d")],
                    [result("d")],
                ]
            )
        )

    def operate() -> Any:
        configs: list[dict[str, Any]] = [
            TRUNCATE,
            {"operation": "insert", "insert": {"position": 0, "messages": [user("first")]}},
            {"operation": "truncate", "truncate": {"keep_last": 4}},
            {"operation": "clear"},
        ]
        return run.post("operations", chance.choice(configs))

    def write() -> Any:
        return run.save(f"s{next(counter)}", "plain", state_data={"k": chance.randrange(6)})

    def go_back() -> Any:
        return run.post("rollback", {"batch": 0})

    def restore() -> Any:
        newest = ok(run.get("batches?all=true"))["results"][-1]["revision"]
        return run.post("restore", {"revision": chance.randrange(newest + 1)})

    while True:
        yield chance.choices([append, operate, write, go_back, restore], [8, 1, 2, 1, 1])[0]


@pytest.mark.parametrize("seed", range(examples(12)))
def test_what_is_known_and_the_answer_are_the_whole_list(seed: int) -> None:
    chance = random.Random(seed)
    engine = Engine(started())
    todo = steps(engine.run, chance)
    for _ in range(14):
        ok(next(todo)())
        for node_id, edges in chance.sample(ENTERED, 4):
            engine.look(node_id, edges)
    assert 0 < engine.saved < engine.all


def test_appends_leave_only_what_is_new() -> None:
    run = started()
    first = ok(run.enter("plain"))
    known = {"revision": first["revision"], "count": first["count"]}
    assert known == {"revision": 0, "count": 2}
    same = ok(run.enter("plain", known=known))
    assert (same["messages_from"], same["messages"]) == (2, [])
    ok(run.append(user("new")))
    found = ok(run.enter("plain", known=known))
    assert found["messages_from"] == 2
    assert [each["content"] for each in found["messages"]] == ["new"]
    assert (found["revision"], found["count"]) == (0, 3)


def test_a_filter_counts_in_its_own_list() -> None:
    run = started()
    ok(run.append(calls("c"), result("c"), user("r")))
    first = ok(run.enter("talk"))
    assert [each["index"] for each in first["messages"]] == [1, 2, 4]
    ok(run.append(result("x"), assistant("so")))
    known = {"revision": first["revision"], "count": first["count"]}
    found = ok(run.enter("talk", known=known))
    assert found["messages_from"] == 3
    assert [each["content"] for each in found["messages"]] == ["so"]


def test_a_filter_of_the_last_few_keeps_the_known_prefix_that_is_still_visible() -> None:
    run = started()
    first = ok(run.enter("head"))
    ok(run.append(user("a"), user("b"), user("c")))
    known = {"revision": first["revision"], "count": first["count"]}
    assert ok(run.enter("head", known=known))["messages_from"] == 2
    assert ok(run.enter("tail", known=known))["messages_from"] == 0


def test_another_view_is_answered_whole() -> None:
    run = started()
    known = {"revision": 0, "count": 2}
    ok(run.post("operations", TRUNCATE))
    found = ok(run.enter("plain", known=known))
    assert (found["messages_from"], len(found["messages"])) == (0, 1)
    ok(run.post("rollback", {"batch": 0}))
    assert len(ok(run.enter("plain", known={"revision": 1, "count": 1}))["messages"]) == 2


@pytest.mark.parametrize("node_id", ["sometimes", "conditional", "narrow", "behind"])
def test_what_depends_on_more_than_the_view_is_answered_whole(node_id: str) -> None:
    run = started()
    whole = ok(run.enter(node_id))["messages"]
    found = ok(run.enter(node_id, known={"revision": 0, "count": 2}))
    assert (found["messages_from"], found["messages"]) == (0, whole)


def test_a_result_that_was_logged_later_was_not_known() -> None:
    """``keep`` takes results from the log: that of then did not have it."""
    run = started()
    ok(run.append(calls("d"), user("wait")))
    first = ok(run.enter("head"))
    assert [each["index"] for each in first["messages"]] == [0, 1, 2]
    ok(run.append(result("d")))
    known = {"revision": first["revision"], "count": first["count"]}
    found = ok(run.enter("head", known=known))
    assert found["messages_from"] == 3
    assert [each["index"] for each in found["messages"]] == [4]


def test_without_a_workflow_all_is_seen() -> None:
    run = Run.start(None, CheckedApi(), state={"messages": [user("a")]})
    ok(run.append(user("b")))
    found = ok(run.enter("n", known={"revision": 0, "count": 1}))
    assert [each["content"] for each in found["messages"]] == ["b"]
    assert ok(run.enter("n", known={"revision": 0, "count": 5}))["messages_from"] == 0


def test_known_is_read_strictly() -> None:
    run = started()
    refused(run.enter("plain", known={"revision": 0}), 422, "validation", "/known/count")
    refused(run.enter("plain", known={"revision": -1, "count": 0}), 422, "validation")
    body = {"known": {"revision": 0, "count": 0}}
    refused(run.post("nodes/plain/enter?format=openai", body), 422, "validation", "/known")


def test_a_message_that_is_known_is_not_read() -> None:
    run = started()
    ok(run.append(*[user(str(number)) for number in range(300)]))
    with CaptureQueriesContext(connection) as queries:
        ok(run.enter("plain", known={"revision": 0, "count": 302}))
    assert not [each for each in queries if "conversations_message" in each["sql"]]
