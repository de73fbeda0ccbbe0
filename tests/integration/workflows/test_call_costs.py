"""What the next call of a node sends beside the call before it (semantics 4.5)."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic import JsonValue

from conversations.models import Conversation, Message
from ctxadmin.identity.roles import Role
from tests.factories import assistant, conversation, person, system, user
from workflows.costs import calibrations
from workflows.costs.calibrations import Calibrations, ModelCalibration
from workflows.costs.calls import CallCost, call_cost
from workflows.domain.document import graph
from workflows.domain.running.plan import Plan
from workflows.previews.conversation import PreviewRequest, preview_node
from workflows.services import use_cases

pytestmark = pytest.mark.django_db

TALK = [system("Be kind."), user("one"), assistant("two"), user("three")]


@pytest.fixture(autouse=True)
def chat() -> Conversation:
    use_cases.import_document(person(Role.DESIGNER), graph.read(document()), "talk", None)
    return conversation(*TALK, public_id="chat", workflow="talk")


def document(*operations: JsonValue, **config: Any) -> dict[str, JsonValue]:
    own: JsonValue = {"rules": [], "default_behavior": "pass", "messages": [*operations]}
    return {
        "name": "Talk",
        "nodes": [{"id": "answer", "type": "llm", "context_filter": own, "config": config}],
        "edges": [],
    }


def cost(
    wanted: dict[str, JsonValue], known: Calibrations | None = None, name: str = "chat"
) -> CallCost:
    plan = Plan(graph.read(wanted))
    actor = person(Role.DESIGNER)
    looked = preview_node(actor, "talk", plan, PreviewRequest("answer", conversation=name))
    found = call_cost(actor.workspace, "talk", plan, looked, known)
    assert found is not None
    return found


def tokens(name: str = "chat") -> list[int]:
    head = Conversation.objects.get(public_id=name)
    rows = Message.objects.filter(conversation=head.key).order_by("index")
    return list(rows.values_list("tokens", flat=True))


def keep(count: int) -> JsonValue:
    return {"operation": "truncate", "truncate": {"keep_last": count}}


def test_the_full_history_has_all_of_the_call_before_in_the_cache() -> None:
    found = cost(document())
    assert (found.cached, found.fresh) == (sum(tokens()[:2]), sum(tokens()[2:]))
    assert (found.full_cached, found.full_fresh, found.lost) == (found.cached, found.fresh, 0)
    assert found.cost_change == 0


def test_a_window_that_moves_loses_the_prefix_of_the_call_before() -> None:
    found = cost(document(keep(2)))
    # The call before sent the system message and "one", this one sends "two" and "three".
    assert (found.sent, found.cached, found.lost) == (sum(tokens()[2:]), 0, sum(tokens()[:2]))


def test_the_first_call_has_nothing_cached() -> None:
    conversation(user("hello"), public_id="new", workflow="talk")
    found = cost(document(), name="new")
    assert (found.is_first, found.cached, found.full_cached) == (True, 0, 0)
    assert found.cost_change == 0


def test_the_call_before_is_that_of_the_same_node_where_it_is_known() -> None:
    said = [
        user("one"),
        {**assistant("two"), "node_id": "answer"},
        user("three"),
        {**assistant("four"), "node_id": "other"},
        user("five"),
    ]
    conversation(*said, public_id="two-nodes", workflow="talk")
    assert cost(document(), name="two-nodes").cached == tokens("two-nodes")[0]


def test_a_message_that_a_filter_puts_in_is_the_same_in_two_calls_by_its_text() -> None:
    put: JsonValue = {
        "operation": "insert",
        "insert": {"position": 0, "messages": [{"role": "system", "content": "Note."}]},
    }
    found = cost(document(put))
    assert found.lost == 0
    assert found.cached > sum(tokens()[:2])


def test_dollars_are_reported_by_the_price_of_the_model_that_the_node_names() -> None:
    assert cost(document(model="gpt-5-mini")).model == "gpt-5-mini"
    assert cost(document(model="nobody-knows-it")).model == ""


def test_the_provider_counts_by_what_was_reported_of_the_model_or_the_node() -> None:
    known = ModelCalibration("m-1", 7, 1.5, 100)
    found = Calibrations({"m-1": known}, {("talk", "answer"): "m-1"})
    for wanted in (document(model="m-1"), document()):
        calibration = cost(wanted, found).calibration
        assert calibration == known
        assert calibration.reported(200) == 400
    assert cost(document(model="m-2"), found).calibration is None
    nobody = replace(found, reported_model={("talk", "other"): "m-1"})
    assert cost(document(), nobody).calibration is None


def test_calibrations_are_made_once_and_a_preview_does_not_wait_for_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[int] = []

    def source(workspace: int) -> Calibrations:
        made.append(workspace)
        return calibrations.NONE

    monkeypatch.setattr(calibrations, "SOURCES", [source])
    workspace = person().workspace
    assert calibrations.known_calibrations(workspace) is None
    calibrations.calibrations_of(workspace)
    calibrations.calibrations_of(workspace)
    assert made == [workspace]
    assert calibrations.known_calibrations(workspace) is calibrations.NONE
