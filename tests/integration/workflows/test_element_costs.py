"""What the policies of a draft would have cost on past conversations (semantics 4.5)."""

from typing import Any

import pytest
from pydantic import JsonValue

from conversations.domain.message import read_messages
from conversations.models import Conversation
from conversations.services.use_cases import append
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Role
from ctxadmin.lib.errors import Forbidden
from tests.factories import assistant, conversation, engine, person, system, user
from workflows.backtests.recordings import recorded_of
from workflows.costs import samples
from workflows.costs.elements import DraftCosts, PricedElement, draft_costs
from workflows.costs.samples import Replays
from workflows.domain.document import graph
from workflows.domain.document.graph import Document
from workflows.services.use_cases import import_document

pytestmark = pytest.mark.django_db

SLUG = "talk"
WORDS = "The saddle and the bell are in stock, and both can be sent today. " * 6
WINDOW: JsonValue = {
    "operation": "truncate",
    "truncate": {"keep_last": 4, "keep_system": True},
    "pairing": "keep",
}
BUDGET: JsonValue = {
    "operation": "budget",
    "budget": {"max_tokens": 1_500, "target_tokens": 700},
    "pairing": "keep",
}


@pytest.fixture(autouse=True)
def _workflow() -> None:
    for slug in (SLUG, "other"):
        import_document(designer(), document(), slug, None)


def talk(name: str, *, turns: int = 15, node: str | None = None, slug: str = SLUG) -> Conversation:
    own: dict[str, Any] = {} if node is None else {"node_id": node}
    said = [each for _ in range(turns) for each in (user(WORDS), {**assistant(WORDS), **own})]
    return conversation(system("Be kind. " * 20), *said, public_id=name, workflow=slug)


def document(*operations: JsonValue, **changes: Any) -> Document:
    answer: dict[str, JsonValue] = {"id": "answer", "type": "llm"}
    if operations:
        own: JsonValue = {"rules": [], "default_behavior": "pass", "messages": [*operations]}
        answer = {**answer, "context_filter": own}
    return graph.read(
        {
            "name": "Talk",
            "nodes": [{"id": "start", "type": "start"}, {**answer, **changes.pop("node", {})}],
            "edges": [{"id": "go", "type": "sequence", "from": "start", "to": "answer"} | changes],
        }
    )


def designer() -> Actor:
    return person(Role.DESIGNER)


def costs(wanted: Document) -> DraftCosts:
    for _ in range(100):
        found = draft_costs(designer(), SLUG, wanted)
        if found.is_whole:
            return found
    raise AssertionError("never whole")


def only(wanted: Document) -> PricedElement:
    (found,) = costs(wanted).elements
    return found


def test_a_window_at_each_call_sends_less_and_costs_more_than_the_full_history() -> None:
    talk("one"), talk("two")
    found = only(document(WINDOW)).cost
    assert (found.full.calls, found.is_known, found.raises_cost) == (30, True, True)
    assert (found.sent_change or 0) < -0.3
    assert (found.cost_change or 0) > 0.1


def test_the_offered_budget_costs_what_it_says_once_it_is_in_the_draft() -> None:
    talk("one"), talk("two")
    offer = only(document(WINDOW)).offer
    assert offer is not None
    assert (offer.cost.cost_change or 0) < -0.05
    assert offer.budget.target_tokens < offer.budget.max_tokens
    repaired = document().model_copy(update={"nodes": (document().nodes[0], offer.element)})
    again = only(repaired)
    assert again.offer is None
    assert again.cost.cost_change == offer.cost.cost_change


def test_a_budget_that_pays_is_offered_nothing() -> None:
    talk("one")
    found = only(document(BUDGET))
    assert (found.cost.raises_cost, found.offer) == (False, None)
    assert (found.cost.cost_change or 0) < 0


def test_an_edge_has_the_cost_of_its_own_filter() -> None:
    talk("one")
    filtered = {"context_filter": {"type": "pass_all", "messages": [WINDOW]}}
    node, edge = costs(document(**filtered)).elements
    assert (node.cost.element.kind, edge.cost.element.kind) == ("node", "edge")
    assert edge.cost.raises_cost
    assert edge.offer is not None
    assert edge.offer.element.context_filter == {
        "type": "pass_all",
        "messages": [edge.offer.budget.operation],
    }
    # The node sees the same by the edge, has nothing of its own, and a budget there cuts no deeper.
    assert node.cost.cost_change == edge.cost.cost_change
    assert not node.cost.element.is_own


def test_a_processor_costs_what_it_would_before_each_call() -> None:
    talk("one")
    processor: Any = {"type": "context_processor", "config": {**dict(WINDOW), "template": "kept"}}  # type: ignore[arg-type]
    found = only(document(node=processor))
    assert found.cost.raises_cost
    assert found.offer is not None
    config = found.offer.element.config  # type: ignore[union-attr]
    assert config["operation"] == "budget"
    assert config["template"] == "kept"
    assert "truncate" not in config


def test_calls_are_those_of_the_node_where_it_is_known_who_wrote() -> None:
    talk("mine", node="answer")
    talk("others", node="somebody")
    found = only(document(WINDOW)).cost
    assert (found.by_node, found.full.calls) == (True, 15)
    renamed = only(document(WINDOW, node={"id": "answer", "name": "Other"}))
    assert renamed.cost.full.calls == 15


def test_few_calls_are_reported_as_not_enough() -> None:
    assert not only(document(WINDOW)).cost.is_known
    talk("short", turns=9)
    found = only(document(WINDOW)).cost
    assert (found.full.calls, found.is_known, found.raises_cost) == (9, False, False)


def test_a_model_that_is_priced_has_its_own_prices_and_one_that_is_free_no_change() -> None:
    talk("one")
    named = only(document(WINDOW, node={"config": {"model": "claude-sonnet-4-5"}})).cost
    assert named.is_priced
    unknown = only(document(WINDOW, node={"config": {"model": "nobody-knows-it"}})).cost
    assert not unknown.is_priced


def test_a_request_replays_a_part_and_the_next_one_continues() -> None:
    for number in range(4):
        talk(f"talk-{number}")
    wanted = document({**dict(WINDOW), "include_pinned": True})  # type: ignore[arg-type]
    done = []
    for _ in range(4):
        found = draft_costs(
            designer(), SLUG, wanted, offers=False, replays=Replays(designer(), SLUG, calls=20)
        )
        done.append((found.done, found.wanted, found.is_whole))
    assert done == [(1, 4, False), (2, 4, False), (3, 4, False), (4, 4, True)]


def test_what_was_replayed_is_not_replayed_again_until_the_conversation_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    talk("one"), talk("two")
    costs(document(BUDGET))
    replayed: list[str] = []
    before = recorded_of

    def counted(head: Conversation) -> Any:
        replayed.append(head.public_id)
        return before(head)

    monkeypatch.setattr("workflows.costs.samples.recorded_of", counted)
    costs(document(BUDGET))
    costs(document(BUDGET, node={"name": "Renamed", "position": {"x": 1, "y": 2}}))
    assert replayed == []
    append(engine(), "one", read_messages([user("More?"), assistant("No.")]))
    costs(document(BUDGET))
    assert set(replayed) == {"one"}


def test_long_and_damaged_conversations_are_left_out_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    talk("good")
    talk("long", turns=20)
    broken = talk("broken")
    Conversation.objects.filter(key=broken.key).update(log_count=99)
    monkeypatch.setattr(samples, "MOST_CALLS", 18)
    found = costs(document({**dict(WINDOW), "truncate": {"keep_last": 3}}))  # type: ignore[arg-type]
    assert (found.done, found.wanted, found.left_out) == (1, 1, 2)


def test_conversations_of_others_count_only_while_the_workflow_has_few() -> None:
    talk("other", slug="other", node="answer")
    talk("imported", slug="")
    talk("short", turns=3)
    few = costs(document(WINDOW))
    assert (few.wanted, few.others) == (3, 2)
    # Another workflow may have a node with this id: the calls are those of all nodes.
    (found,) = few.elements
    assert (found.cost.by_node, found.cost.full.calls) == (False, 33)
    talk("own", turns=10, node="answer")
    enough = costs(document(WINDOW))
    assert (enough.wanted, enough.others) == (2, 0)
    (found,) = enough.elements
    assert (found.cost.by_node, found.cost.full.calls) == (True, 10)


def test_a_node_with_few_calls_of_its_own_is_estimated_on_all_calls() -> None:
    talk("most", node="plan")
    talk("one more", turns=1, node="answer")
    found = only(document(WINDOW)).cost
    assert (found.by_node, found.full.calls) == (False, 16)


def test_who_may_not_preview_is_refused() -> None:
    with pytest.raises(Forbidden):
        draft_costs(person(Role.VIEWER), SLUG, document(WINDOW))
