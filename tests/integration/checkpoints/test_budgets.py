"""Budgets of stored conversations: one answer from every call and every process (semantics 4.1)."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from conversations.domain.budgets.fold import Weight
from conversations.models import Message
from conversations.store import fold_cache
from conversations.store.fold_cache import FOLDS, FoldCache
from conversations.store.sql_log import SqlLog
from ctxadmin.identity.roles import Scope
from tests.examples import examples
from tests.factories import assistant, calls, result, system, user
from tests.integration.checkpoints.flows import Run, edge, node, ok, publish
from tests.openapi import CheckedApi

pytestmark = pytest.mark.django_db(transaction=True)

LONG = "a sentence that has about ten tokens in it " * 3


def budget(most: int = 200, target: int = 120, **options: Any) -> dict[str, Any]:
    block = {"max_tokens": most, "target_tokens": target, **options}
    return {"operation": "budget", "budget": block}


BUDGETS = {
    "oldest": budget(),
    "turns": budget(drop="oldest_turns", keep_first=1),
    "results": budget(150, 100, drop="tool_results", keep_last_results=1),
    "line": budget() | {"leave_pointer": True},
    "named": budget(150, 100, drop="tool_results", keep_last_results=1) | {"leave_pointer": True},
}
TAIL = {"operation": "truncate", "truncate": {"keep_last": 4, "keep_system": True}}


@pytest.fixture(autouse=True)
def _nothing_folded() -> Iterator[None]:
    FOLDS.clear()
    yield
    FOLDS.clear()


@pytest.fixture
def run() -> Run:
    nodes = [
        node("begin"),
        *[node(name, context_filter={"messages": [each]}) for name, each in BUDGETS.items()],
        node("behind"),
        node("tail", context_filter={"messages": [TAIL]}),
    ]
    filtered = {"type": "pass_all", "messages": [BUDGETS["oldest"]]}
    publish("w", nodes, [edge("begin", "behind", context_filter=filtered)])
    scopes = [Scope.ENGINE, Scope.REVIEW, Scope.DESIGN]
    return Run.start("w", CheckedApi(scopes), state={"messages": [system("Be kind.")]})


def said(answer: Any) -> Any:
    return [(each["index"], each["content"], each["tokens"]) for each in answer["messages"]]


def entered(run: Run, name: str, **asked: Any) -> Any:
    return ok(run.enter(name, **asked))


def steps(run: Run, chance: random.Random) -> Iterator[Callable[[], Any]]:
    def append() -> Any:
        return run.append(
            *chance.choice(
                [
                    [user(LONG)],
                    [user("short"), assistant(LONG)],
                    [calls("c"), result("c", LONG), assistant("so")],
                    [calls("d")],
                    [result("d", LONG)],
                ]
            )
        )

    def operate() -> Any:
        return run.post("operations", {"operation": "truncate", "truncate": {"keep_last": 6}})

    def try_out() -> Any:
        first = {"operation": "insert", "insert": {"position": 0, "messages": [user(LONG)]}}
        return run.post("operations", {**first, "dry_run": True})

    def go_back() -> Any:
        return run.post("rollback", {"batch": 0})

    while True:
        yield chance.choices([append, operate, try_out, go_back], [9, 1, 1, 1])[0]


@pytest.mark.parametrize("seed", range(examples(6)))
def test_what_a_process_folded_before_changes_no_answer(run: Run, seed: int) -> None:
    """One process has entered the nodes all along, the other never."""
    chance = random.Random(seed)
    todo = steps(run, chance)
    kept = 0
    for _ in range(25):
        ok(next(todo)())
        name = chance.choice(list(BUDGETS))
        known = entered(run, name)
        kept += len(FOLDS._known)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(fold_cache, "FOLDS", FoldCache())
            assert entered(run, name) == known
    assert kept


def test_every_call_gives_the_same_messages(run: Run) -> None:
    for number in range(12):
        ok(run.append(user(f"{number} {LONG}"), calls("c"), result("c", LONG), assistant("so")))
    listed = ok(run.get("messages?limit=100"))["results"]
    own = [
        {key: each[key] for key in ("role", "content", "tool_calls", "tool_call_id") if key in each}
        for each in listed
    ]
    for name, config in BUDGETS.items():
        seen = entered(run, name, explain=True)
        assert 1 < len(seen["messages"]) <= len(listed)
        preview = ok(
            run.api.post(
                "/workflows/w/preview", {"node": name, "conversation_id": run.head.public_id}
            )
        )
        assert said(preview) == said(seen)
        assert preview["tokens_after"] == sum(each["tokens"] for each in seen["messages"])
        tried = ok(
            run.api.post(
                "/filters/apply",
                {
                    "context": {},
                    "messages": own,
                    "steps": [{"context_filter": {"messages": [config]}}],
                },
            )
        )
        assert said(tried) == said(seen)
        trial = ok(run.post("operations", {**config, "dry_run": True}))
        assert trial["tokens_after"] == preview["tokens_after"]
    behind = entered(run, "behind", edges=["begin-behind"])
    assert said(behind) == said(entered(run, "oldest"))


def test_an_operation_of_a_person_is_a_batch_that_a_rollback_undoes(run: Run) -> None:
    for _ in range(4):
        ok(run.append(user("q"), calls("c"), result("c", LONG), assistant("so")))
    before = ok(run.get("messages?limit=100"))["results"]
    done = ok(run.post("operations", budget(200, 120, drop="tool_results", keep_last_results=1)))
    assert (done["batch"], done["warnings"]) == (1, [])
    assert done["tokens_after"] < 200 < done["tokens_before"]
    after = ok(run.get("messages?limit=100"))["results"]
    emptied = [each for each in after if each["content"] == "[result removed to save space]"]
    assert len(emptied) == sum(stop - start for start, stop in done["added"]) > 0
    assert len(after) == len(before)
    line = ok(run.get("batches"))["results"][-1]
    assert (line["operation"], line["config"]["budget"]["max_tokens"]) == ("budget", 200)
    ok(run.post("rollback", {"batch": 0}))
    assert ok(run.get("messages?limit=100"))["results"] == before


def test_a_context_processor_keeps_a_budget_with_the_completion() -> None:
    config = budget(100, 70)
    publish("p", [node("tidy", "context_processor", config=config), node("b")], [edge("tidy", "b")])
    run = Run.start("p", CheckedApi(), state={"messages": [user(LONG) for _ in range(5)]})
    answer = ok(run.complete("tidy"))
    assert answer["operation"]["batch"] == 1
    assert answer["operation"]["hidden"] == [[0, 2]]
    assert answer["operation"]["tokens_after"] == 93


def test_a_change_of_the_workflow_that_adds_a_budget_says_what_is_lost(run: Run) -> None:
    for _ in range(8):
        ok(run.append(user(LONG)))
    ok(run.complete("begin"))
    nodes = [node("begin", context_filter={"messages": [budget()]})]
    document = {"name": "w", "nodes": nodes, "edges": []}
    found = ok(run.api.post("/workflows/w/what-if", {"document": document, "last": 1}))
    text = str(found)
    assert "hidden by “over 200 tokens, cut to 120”" in text


def test_only_new_messages_are_read_again(run: Run) -> None:
    for number in range(60):
        ok(run.append(user(f"{number} {LONG}")))
    folded: list[int] = []
    weights = SqlLog.weights

    def counted(log: SqlLog, runs: Any) -> list[Weight]:
        found = list(weights(log, runs))
        folded.append(len(found))
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SqlLog, "weights", counted)
        entered(run, "oldest")
        ok(run.append(user("one more")))
        entered(run, "oldest")
        entered(run, "oldest")
    assert folded == [61, 1]


def test_what_is_not_committed_is_not_kept(run: Run) -> None:
    ok(run.append(*[user(LONG) for _ in range(9)]))
    ok(run.post("operations", {**budget(), "dry_run": True}))
    ok(run.post("operations", budget()))
    assert not FOLDS._known


def test_a_row_that_is_another_by_now_is_folded_again(run: Run) -> None:
    """As after a backup was put back."""
    ok(run.append(*[user(LONG) for _ in range(9)]))
    first = entered(run, "oldest")
    last = Message.objects.filter(conversation=run.head.key, index=9)
    last.update(tokens=500, tokens_upto=last.get().tokens_upto + 400, sum=None)
    assert len(entered(run, "oldest")["messages"]) < len(first["messages"])


def test_an_erased_conversation_is_forgotten(run: Run) -> None:
    ok(run.append(*[user(LONG) for _ in range(9)]))
    entered(run, "oldest")
    assert FOLDS._known
    admin = run.by(Scope.ADMIN, Scope.ENGINE)
    assert admin.api.delete(run.path).status_code == 204
    assert not FOLDS._known


def test_the_cache_is_bounded_in_entries(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    small = FoldCache(entries=40, keys=2)
    monkeypatch.setattr(fold_cache, "FOLDS", small)
    ok(run.append(*[user(LONG) for _ in range(9)]))
    for name in BUDGETS:
        entered(run, name)
    assert len(small._known) <= 2
    assert small._used <= 40


def test_a_budget_that_was_folded_costs_no_more_queries_than_to_truncate(run: Run) -> None:
    ok(run.append(*[user(LONG) for _ in range(9)]))
    entered(run, "oldest")
    with CaptureQueriesContext(connection) as plain:
        entered(run, "tail")
    with CaptureQueriesContext(connection) as kept:
        entered(run, "oldest")
    assert len(kept) <= len(plain)


def test_a_line_that_was_drawn_costs_no_more_queries_than_the_budget(run: Run) -> None:
    ok(run.append(*[{**user(LONG), "id": f"question-{number}"} for number in range(9)]))
    first = entered(run, "line")
    with CaptureQueriesContext(connection) as plain:
        entered(run, "oldest")
    with CaptureQueriesContext(connection) as lined:
        assert entered(run, "line") == first
    assert len(lined) <= len(plain)
    assert "1-6 (question-0 to question-5)" in str(first["messages"])


def test_a_line_is_drawn_again_when_the_cut_moves(run: Run) -> None:
    ok(run.append(*[user(LONG) for _ in range(9)]))
    before = entered(run, "line")["messages"]
    ok(run.append(*[user(LONG) for _ in range(6)]))
    after = entered(run, "line")["messages"]
    told = [
        next(each["content"] for each in seen if "hidden" in each["content"])
        for seen in (before, after)
    ]
    assert told[0] != told[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fold_cache, "FOLDS", FoldCache())
        assert entered(run, "line")["messages"] == after
