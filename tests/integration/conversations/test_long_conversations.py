"""What is done to a long conversation costs what it costs in a short one."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pydantic import JsonValue

from checkpoints.domain.commands import SaveCheckpoint
from checkpoints.services import checkpoint_saves
from conversations.domain.configs import read_operation
from conversations.models import Conversation, Message, UnsettledCall
from conversations.reading import queries
from conversations.services import use_cases
from conversations.store.conversation import find_head
from conversations.store.tool_links import answers_to
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.contract import parse
from tests.factories import assistant, calls, conversation, drafts, engine, result, system, user

pytestmark = pytest.mark.django_db

SHORT, LONG = 8, 400  # blocks of ten messages


class History:
    """A conversation as a workflow makes it: calls, operations, now and then a rollback."""

    def __init__(self, blocks: int) -> None:
        self.actor: Actor = engine()
        self.id = conversation(system("Be kind."), actor=self.actor).public_id
        self.saved = 0
        for block in range(blocks):
            self.work()
            if block % 4 == 3:
                self.operate("truncate", {"keep_first": 1, "keep_last": 15}, pairing="keep")
            if block % 8 == 7:
                self.roll_back()

    @property
    def head(self) -> Conversation:
        return find_head(self.actor.workspace, self.id)

    def work(self) -> None:
        """Ten messages: talk, a call that is answered later, two that are answered at once."""
        self.append(user("x" * 200), calls("a"))
        self.append(result("a"), assistant("y" * 200))
        self.append(user("x"), calls("a", "b"), result("b"), result("a"), assistant("y"), user("z"))

    def append(self, *messages: dict[str, JsonValue]) -> None:
        use_cases.append(self.actor, self.id, drafts(*messages))

    def operate(self, name: str, block: JsonValue = None, **fields: JsonValue) -> None:
        config = read_operation({"operation": name, name: block, **fields})
        use_cases.apply_operation(self.actor, self.id, config)

    def roll_back(self) -> None:
        """To the batch before, so that the next message starts another branch."""
        use_cases.rollback(self.actor, self.id, self.head.current_batch - 1)

    def compare(self) -> None:
        """The current revision with the one before the last message was replaced."""
        current = self.head.current_revision
        queries.diff_of(self.actor, self.id, current - 1, current)

    def restore_the_first(self) -> None:
        use_cases.restore(self.actor, self.id, 0)

    def save(self) -> None:
        self.saved += 1
        body: JsonValue = {
            "node_id": "a",
            "state_data": {"step": self.saved},
            "messages": [user("x" * 400), assistant("y" * 400)],
        }
        checkpoint_saves.save(
            self.actor, self.id, f"cp-{self.saved}", parse(SaveCheckpoint, body, "")
        )


STEPS: dict[str, Callable[[History], None]] = {
    "append": lambda history: history.append(user("x"), assistant("y")),
    "append with an id": lambda history: history.append({**user("x"), "id": "named"}),
    "append a call": lambda history: history.append(calls("a", "b")),
    "append its results": lambda history: history.append(result("b"), result("a")),
    "append an orphan": lambda history: history.append(result("unheard-of")),
    "truncate": lambda history: history.operate("truncate", {"keep_first": 2, "keep_last": 9}),
    "truncate and keep pairs": lambda history: history.operate(
        "truncate", {"range": {"start": 1, "end": 9}}, pairing="keep"
    ),
    "roll back": lambda history: history.roll_back(),
    "append behind a rollback": lambda history: history.append(user("x")),
    "append a call again": lambda history: history.append(calls("a")),
    "roll back further": lambda history: history.roll_back(),
    "insert": lambda history: history.operate("insert", {"position": 1, "messages": [user("x")]}),
    "replace": lambda history: history.operate("replace", {"index": 1, "message": user("x")}),
    "compare": lambda history: history.compare(),
    "filter roles": lambda history: history.operate("filter", {"roles": ["user", "system"]}),
    "filter texts": lambda history: history.operate("filter", {"content_contains": ["x", "B"]}),
    "clear": lambda history: history.operate("clear"),
    "restore": lambda history: history.restore_the_first(),
    "save the first checkpoint": lambda history: history.save(),
    "save a checkpoint": lambda history: history.save(),
}


@dataclass(frozen=True)
class Cost:
    """Of a step: its statements, and the rows that MariaDB read for them; 0 on SQLite."""

    queries: int
    rows: int = 0


@cache
def costs(blocks: int) -> dict[str, Cost]:
    """Measured once for both tests: to write a long history takes seconds."""
    history = History(blocks)
    return {name: cost_of(partial(step, history)) for name, step in STEPS.items()}


def cost_of(step: Callable[[], object]) -> Cost:
    def work() -> None:
        with captured:
            step()

    captured = CaptureQueriesContext(connection)
    if connection.vendor == "mysql":
        return Cost(rows=rows_read_by(work), queries=len(captured))
    work()
    return Cost(queries=len(captured))


def rows_read_by(step: Callable[[], object]) -> int:
    """How many rows and index entries MariaDB touched in order to find rows."""
    before = _handler_reads()
    step()
    return _handler_reads() - before


def _handler_reads() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SHOW SESSION STATUS LIKE 'Handler_read%'")
        return sum(int(value) for _, value in cursor.fetchall())


def test_a_step_takes_as_many_queries_in_a_long_conversation_as_in_a_short_one() -> None:
    long, short = costs(LONG), costs(SHORT)
    assert {name: long[name].queries for name in STEPS} == {
        name: short[name].queries for name in STEPS
    }


@pytest.mark.only("mysql")
def test_a_step_reads_no_more_rows_in_a_long_conversation_than_in_a_short_one() -> None:
    short, long = costs(SHORT), costs(LONG)
    grown = {
        name: (short[name].rows, long[name].rows)
        for name in STEPS
        if long[name].rows > short[name].rows + 20
    }
    assert not grown


@pytest.mark.only("mysql")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("statement", ["ANALYZE", "FLUSH"])
def test_the_results_of_a_few_calls_are_found_without_reading_the_log(statement: str) -> None:
    """Whatever MariaDB knows of the table, by which it chooses how to look for rows."""
    history = History(100)
    with connection.cursor() as cursor:
        cursor.execute(f"{statement} TABLE {Message._meta.db_table}")
    head = history.head
    calls = list(answers_to(head.key, range(head.log_count)))[:40]
    for some in (calls[:1], calls[:2], calls[::20], calls[::8], calls):
        for find in (partial(answers_to, head.key, some), partial(queries.results_of, head, some)):
            assert rows_read_by(find) <= 5 * len(some)


def test_calls_that_are_answered_leave_nothing_to_look_at() -> None:
    history = History(0)
    history.work()
    assert not UnsettledCall.objects.exists()
    history.append(calls("a", "b"))
    assert UnsettledCall.objects.count() == 2
    history.append(result("b"))
    assert UnsettledCall.objects.count() == 2
    history.append(result("a"))
    assert not UnsettledCall.objects.exists()
