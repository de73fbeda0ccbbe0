"""What the canvas says that a node would see is what an engine is given that enters it."""

import random
import re
from collections.abc import Sequence
from typing import Any

import pytest
from django.test import Client
from pydantic import JsonValue

from ctxadmin.identity.roles import Scope
from ctxadmin.lib.json_bytes import dumps
from tests.factories import Api, assistant, calls, result, system, user
from tests.integration.checkpoints.flows import Run, edge, node, ok, publish, when
from tests.integration.pages.workflows.unsaved import about
from workflows.reading.sources import state_of

pytestmark = pytest.mark.django_db

LAST_TWO: dict[str, JsonValue] = {
    "type": "selective",
    "include_patterns": ["plan"],
    "messages": [{"operation": "truncate", "truncate": {"keep_last": 2}}],
}
NAMES = ("a", "llm.model", "tool.name", "user.name", "x.y", "llm")
PATTERNS = ("*", "a", "llm.*", "*.name", "zz", "user*")
OPERATIONS: tuple[dict[str, JsonValue], ...] = (
    {"operation": "truncate", "truncate": {"keep_last": 2}, "pairing": "keep"},
    {"operation": "filter", "filter": {"roles": ["user", "tool"]}, "pairing": "drop"},
    {"operation": "clear"},
)


def seen(designer: Client, slug: str, document: Any, name: str, **body: Any) -> Any:
    """What the canvas is told of a node."""
    answer = designer.post(
        f"/workflows/{slug}/editor/preview/",
        dumps({**about(document, slug), "node": name, **body}),
        content_type="application/json",
    )
    return ok(answer)


def draft_of(slug: str) -> Any:
    return ok(Api([Scope.DESIGN]).get(f"/workflows/{slug}/draft"))["document"]


def kept(html: str, section: str) -> list[str]:
    """The names of a section that the node sees."""
    for found in re.findall(r'<section class="card seen-section">(.*?)</section>', html, re.S):
        if re.search(rf'card-title">\s*{section}', found, re.I):
            rows = re.findall(r'<tr class="seen-(\w+)">.*?<code[^>]*>(.*?)</code>', found, re.S)
            return [name for verdict, name in rows if verdict != "dropped"]
    return []


def test_a_node_is_entered_along_the_edges_on_which_something_waits(designer: Client) -> None:
    edges = [edge("a", "b"), edge("c", "b", context_filter=LAST_TWO), edge("a", "c")]
    publish("w", [node("a"), node("c"), node("b", context_type="pass_through")], edges)
    messages = [user("1"), user("2"), user("3")]
    run = Run.start("w", state={"plan": 1, "other": 2, "messages": messages})
    ok(run.complete("a"))
    ok(run.complete("c"))
    document = draft_of("w")
    now = seen(designer, "w", document, "b", conversation=run.head.public_id)
    entered = ok(run.enter("b"))
    assert now["edges"] == entered["edges"] == ["a-b", "c-b"]
    assert kept(now["html"], "variables") == sorted(entered["context"]["variables"])
    first = seen(designer, "w", document, "b", conversation=run.head.public_id, at=1)
    assert first["edges"] == ["a-b"]
    along = seen(designer, "w", document, "b", conversation=run.head.public_id, path=True)
    assert along["edges"] == ["a-b", "c-b"]


def test_an_edge_whose_condition_is_false_is_said_not_to_be_taken(designer: Client) -> None:
    lines = [when("a", "b", "context.missing.length > 0"), edge("c", "b"), edge("a", "c")]
    publish("w", [node("a"), node("c"), node("b", context_type="pass_through")], lines)
    document, messages = draft_of("w"), [system("Be kind."), user("1")]

    def of(missing: list[JsonValue], *edges: str) -> Any:
        context = {"variables": {"missing": missing}}
        return seen(designer, "w", document, "b", context=context, messages=messages, edges=edges)

    told = of([], "a-b")
    assert told["lacks"] == "This edge is not taken"
    assert "is not taken: context.missing.length &gt; 0" in told["html"]
    assert "system message will be hidden" not in told["html"]
    for taken in (of(["x"], "a-b"), of([], "c-b"), of([], "a-b", "c-b")):
        assert "not taken" not in taken["lacks"] + taken["html"]


def test_a_node_is_entered_along_the_first_edge_whose_condition_is_true(designer: Client) -> None:
    lines = [when("a", "b", "context.missing.length > 0"), edge("d", "b"), edge("a", "d")]
    publish("w", [node("a"), node("d"), node("b", context_type="pass_through")], lines)
    document = draft_of("w")
    wrong = {**document, "edges": [when("d", "b", "context.(") | {"id": "c"}, *document["edges"]]}
    cases: list[tuple[list[JsonValue], str]] = [([], "d-b"), (["x"], "a-b")]
    for missing, taken in cases:
        context: JsonValue = {"variables": {"missing": missing}}
        for each in (document, wrong):
            told = seen(designer, "w", each, "b", context=context, messages=[user("1")])
            assert (told["edges"], told["lacks"]) == ([taken], "")


def test_a_node_behind_a_false_condition_is_said_not_to_be_reached(designer: Client) -> None:
    line = when("a", "b", "context.missing.length > 0")
    publish("w", [node("a"), node("b", context_type="pass_through")], [line])
    document, messages = draft_of("w"), [system("Be kind."), user("1")]
    cases: list[tuple[list[JsonValue], bool]] = [([], False), (["x"], True)]
    for missing, is_reached in cases:
        context: JsonValue = {"variables": {"missing": missing}}
        told = seen(designer, "w", document, "b", context=context, messages=messages)
        assert ("not reached in this state" not in told["html"]) is is_reached
        assert told["lacks"] == ("" if is_reached else "The node is not reached")
        assert "system message will be hidden" not in told["html"]
    # What waits at a node has been let through.
    run = Run.start("w", state={"missing": ["x"]})
    ok(run.complete("a"))
    run.update("b", state_data={"missing": []})
    now = seen(designer, "w", document, "b", conversation=run.head.public_id)
    assert "not reached" not in now["lacks"] + now["html"]


@pytest.mark.parametrize(
    ("type_", "edges"), [("llm", ["a-b"]), ("merge", ["a-b", "c-b"]), ("join", ["a-b", "c-b"])]
)
def test_where_nothing_waits_a_node_is_entered_as_in_its_turn(
    designer: Client, type_: str, edges: list[str]
) -> None:
    lines = [edge("a", "b", context_filter=LAST_TWO), edge("c", "b"), edge("a", "c")]
    publish("w", [node("a"), node("c"), node("b", type_)], lines)
    messages = [user("1"), user("2"), user("3")]
    told = seen(designer, "w", draft_of("w"), "b", messages=messages)
    assert told["edges"] == edges
    assert (told["tokens_after"] < told["tokens_before"]) is (type_ == "llm")
    out_of_turn = seen(designer, "w", draft_of("w"), "b", messages=messages, edges=[])
    assert (out_of_turn["edges"], out_of_turn["tokens_after"]) == ([], told["tokens_before"])


def test_edges_of_another_workflow_with_the_same_names_are_not_meant(designer: Client) -> None:
    for slug in ("w", "v"):
        publish(slug, [node("a"), node("b"), node("c")], [edge("a", "c"), edge("b", "c")])
    run = Run.start("v")
    ok(run.complete("b"))
    name = run.head.public_id
    assert seen(designer, "v", draft_of("v"), "c", conversation=name)["edges"] == ["b-c"]
    assert seen(designer, "w", draft_of("w"), "c", conversation=name)["edges"] == ["a-c"]


@pytest.mark.parametrize("seed", range(8))
def test_a_preview_of_random_filters_is_what_enter_gives(designer: Client, seed: int) -> None:
    chance = random.Random(seed)
    names = ["s", "b", "c", "d"]
    ways = [("s", "b"), ("s", "c"), ("b", "d"), ("c", "d")]
    nodes = [node(name, **_some_node(chance)) for name in names]
    publish("w", nodes, [edge(*way, context_filter=_some_edge(chance)) for way in ways])
    run = Run.start("w", state={"messages": _chat(), **dict.fromkeys(NAMES, chance.random())})
    document, head = draft_of("w"), run.head.public_id
    api = Api([Scope.DESIGN])
    for number, done in enumerate(names):
        for name in names:
            entered = run.enter(name, explain=True)
            body = {"node": name, "document": document, "conversation_id": head}
            way: dict[str, Any] = {} if _is_awaited(run, name) else {"edges": []}
            previewed = ok(api.post("/workflows/w/preview", body | way))
            told_of = [each for each in previewed["problems"] if each["code"] == CODE]
            lacks = [each for each in told_of if each["severity"] == "error"]
            if entered.status_code != 200:
                assert (entered.json()["code"], len(lacks)) == (CODE, 1)
                continue
            given = ok(entered)
            assert not lacks
            # What is foreseen of a draft is that nobody enters the node, and someone did.
            assert name not in {each["node"] for each in told_of if "node" in each}
            if given["edges"]:
                assert name not in {
                    each["edge"].split("-")[1] for each in told_of if "edge" in each
                }
            for field in ("context", "messages", "explanation"):
                assert previewed[field] == given[field], (done, name)
            if given["edges"]:
                told = seen(designer, "w", document, name, conversation=head)
                assert told["edges"] == given["edges"]
                assert sorted(kept(told["html"], "variables")) == sorted(
                    given["context"]["variables"]
                )
                assert len(kept(told["html"], "messages")) == len(given["messages"])
        ok(run.complete(done, state_data={"a": number}, messages=[assistant(f"out {number}")]))


CODE = "incompatible_context"


def _some_node(chance: random.Random) -> dict[str, Any]:
    context_type = chance.choice(["pass_through", "filter_in", "llm_context", "human_context"])
    return {"context_type": context_type, "context_filter": _some_filter(chance)}


def _some_filter(chance: random.Random) -> dict[str, Any]:
    kinds, targets = ("include", "exclude"), (None, "variables", "history", "metadata")
    rules = [
        {"type": chance.choice(kinds), "pattern": chance.choice(PATTERNS), "target": target}
        for target in chance.choices(targets, k=chance.randrange(4))
    ]
    return {
        "rules": [{key: value for key, value in rule.items() if value} for rule in rules],
        "default_behavior": chance.choice(["pass", "block"]),
        "messages": chance.choices(OPERATIONS, k=chance.randrange(3)),
    }


def _some_edge(chance: random.Random) -> dict[str, Any]:
    chosen: dict[str, Any] = {"type": chance.choice(["pass_all", "pass_none", "selective"])}
    if chosen["type"] == "selective":
        chosen["exclude_patterns"] = [chance.choice(PATTERNS)]
    if chosen["type"] != "pass_none":
        chosen["messages"] = chance.choices(OPERATIONS, k=chance.randrange(2))
    return chosen


def _chat() -> Sequence[JsonValue]:
    return [system("S"), user("q"), calls("c1"), result("c1"), assistant("a"), user("q2")]


def _is_awaited(run: Run, name: str) -> bool:
    """True if something waits for a node; a preview enters another one along its usual edges."""
    state = state_of(run.head, None)
    return state is not None and any(each.endswith(f"-{name}") for each in state.waiting)


def test_a_node_behind_a_false_condition_is_shown_as_if_it_were_true(designer: Client) -> None:
    line = when("a", "b", "context.lang === 'zh'") | {"type": "conditional"}
    own = {"rules": [], "default_behavior": "pass", "messages": LAST_TWO["messages"]}
    publish("w", [node("a"), node("b", type="llm", context_filter=own)], [line])
    document, messages = draft_of("w"), [user("1"), user("2"), user("3")]
    shut = seen(designer, "w", document, "b", messages=messages)
    assert (shut["lacks"], shut["is_reached"]) == ("The node is not reached", False)
    assert "costs" not in shut["line"]
    assert "would be refused" not in shut["html"]
    told = seen(designer, "w", document, "b", messages=messages, assume_conditions=True)
    assert (told["lacks"], told["is_reached"]) == ("", False)
    assert told["line"].startswith("2 of 3 messages")
    assert told["line"].endswith("as if the condition were true")
    assert "as if the condition of its edge were true: context.lang === " in told["html"]
    path = seen(designer, "w", document, "b", messages=messages, assume_conditions=True, path=True)
    assert path["line"].startswith("2 of 3 messages")
    context = {"variables": {"lang": "zh"}}
    body = {"context": context, "messages": messages, "assume_conditions": True}
    true = seen(designer, "w", document, "b", **body)
    assert (true["is_reached"], "as if" in true["line"]) == (True, False)
