"""How many queries the hot calls cost: few, and the same at any length of the history."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pydantic import JsonValue

from checkpoints.contexts import node_context
from checkpoints.domain.commands import CompleteNode, SaveCheckpoint, StartExecution
from checkpoints.reading.queries import find_moment, list_checkpoints, snapshot_bytes
from checkpoints.services import checkpoint_saves, completions, execution_start
from conversations.models import Conversation
from conversations.services.use_cases import append
from ctxadmin.http.endpoints.pagination import PageRequest
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Scope
from tests.factories import assistant, calls, conversation, drafts, engine, result, user
from tests.integration.checkpoints.flows import edge, node, publish

pytestmark = pytest.mark.django_db

STEPS = 40

# What each call may cost, with the two statements of its transaction.
MOST = {"append": 9, "save": 16, "complete": 16, "enter": 9, "snapshot": 6, "list": 3}


@pytest.fixture
def actor() -> Actor:
    return engine(Scope.ENGINE, Scope.REVIEW)


@pytest.fixture
def head(actor: Actor) -> Conversation:
    """A conversation with an execution of an agent's loop."""
    nodes = [node("ask", "llm"), node("use", "tool")]
    publish("loop", nodes, [edge("ask", "use"), edge("use", "ask")], reducers={"log": "append"})
    made = conversation(user("go"), actor=actor)
    begin = StartExecution(workflow="loop", state={"log": [0], "big": "x" * 1000})
    execution_start.start(actor, made.public_id, begin)
    return made


class Hot:
    """The hot calls, counted."""

    def __init__(self, actor: Actor, head: Conversation) -> None:
        self.actor, self.head = actor, head
        self.number = 0

    def turn(self) -> None:
        """One round of the loop, with a call and its result."""
        self.number += 1
        call = f"call-{self.number}"
        for name, message in (("ask", calls(call)), ("use", result(call))):
            body = CompleteNode(
                checkpoint_id=f"{name}-{self.number}",
                state_data={"log": [self.number], "small": self.number},
                messages=[message],
            )
            completions.complete(self.actor, self.head.public_id, name, body)

    def counts(self) -> dict[str, int]:
        """The number of queries of each call now."""
        self.number += 1
        public_id, number = self.head.public_id, self.number
        update: dict[str, JsonValue] = {"log": [1], "small": number}
        messages = [user("u"), assistant("a")]
        save = SaveCheckpoint(node_id="ask", state_data=update, messages=messages)
        done = CompleteNode(checkpoint_id=f"c{number}", state_data=update, messages=messages)
        return {
            "append": counted(lambda: append(self.actor, public_id, drafts(user("u")))),
            "enter": counted(lambda: node_context.enter(self.actor, public_id, "ask")),
            "save": counted(
                lambda: checkpoint_saves.save(self.actor, public_id, f"s{number}", save)
            ),
            "complete": counted(lambda: completions.complete(self.actor, public_id, "use", done)),
            "snapshot": counted(lambda: snapshot_bytes(find_moment(self.actor, public_id))),
            "list": counted(lambda: list_checkpoints(self.actor, public_id, PageRequest())),
        }


def counted(call: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as queries:
        call()
    return len(queries)


def test_hot_calls_cost_few_queries(actor: Actor, head: Conversation) -> None:
    hot = Hot(actor, head)
    hot.counts()
    found = hot.counts()
    assert {name: count for name, count in found.items() if count > MOST[name]} == {}


def test_hot_calls_cost_the_same_at_any_length_of_the_history(
    actor: Actor, head: Conversation
) -> None:
    hot = Hot(actor, head)
    hot.turn()
    hot.counts()
    short = hot.counts()
    for _ in range(STEPS):
        hot.turn()
    assert hot.counts() == short
