"""How lists are found among very many conversations: by an index, and in its order."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from checkpoints.domain.move_commands import ForkCheckpoint
from checkpoints.reading.fork_list import forks_of
from checkpoints.services import forks
from conversations.lifecycle import erasure
from conversations.lifecycle.copies import Copy
from conversations.reading.queries import list_conversations
from conversations.store.conversation import find_head
from conversations.store.sql_log import SqlLog
from conversations.workspace import matching
from conversations.workspace.matching import ConversationFilter
from ctxadmin.http.endpoints.pagination import PageRequest
from ctxadmin.identity.roles import Role
from tests.factories import conversation, engine, person, user
from tests.integration.live_copy import steps

pytestmark = pytest.mark.django_db


def plans(ask: Callable[[], object]) -> list[str]:
    """The plan of each statement, as SQLite makes it."""
    with CaptureQueriesContext(connection) as asked:
        ask()
    found = []
    with connection.cursor() as cursor:
        for statement in asked:
            if "workspace" in statement["sql"].partition(" WHERE ")[0].rpartition(" FROM ")[2]:
                continue  # of the actors of tests
            cursor.execute("EXPLAIN QUERY PLAN " + statement["sql"].replace("%", "%%"))
            found.append("\n".join(row[3] for row in cursor.fetchall()))
    return found


def listed(wanted: ConversationFilter) -> list[str]:
    page = list_conversations(engine(), wanted, PageRequest(limit=50))
    return [head.public_id for head in page.items]


@pytest.mark.only("sqlite")
@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        (ConversationFilter(), "conversation_newest (workspace=? AND archived=?)"),
        (ConversationFilter(archived=True), "conversation_newest (workspace=? AND archived=?)"),
        (ConversationFilter(with_execution=True), "conversation_newest (workspace=? AND archived"),
        (ConversationFilter("FAILED"), "conversation_by_status (workspace=? AND archived=? AND"),
    ],
)
def test_a_list_comes_in_the_order_of_an_index_and_sorts_nothing(
    wanted: ConversationFilter, index: str
) -> None:
    conversation(public_id="c")
    (plan,) = plans(lambda: listed(wanted))
    assert f"USING INDEX {index}" in plan
    assert "TEMP B-TREE" not in plan


@pytest.mark.only("sqlite")
def test_ids_that_are_taken_are_found_by_their_index_in_a_log_of_any_length() -> None:
    head = conversation({"role": "user", "content": "Hi", "id": "m1"}, public_id="c")
    log = SqlLog(head, 1, 0, newest=True)
    (plan,) = plans(lambda: log.taken_ids(["m1", "m2"]))
    assert "(conversation=? AND message_id=?)" in plan
    assert log.taken_ids(["m1", "m2"]) == {"m1"}
    assert SqlLog(head, 0, 0).taken_ids(["m1"]) == set()


@pytest.mark.only("sqlite")
def test_a_word_is_looked_for_in_an_index_that_has_all_that_is_asked_of_it() -> None:
    conversation(public_id="c", title="a needle")
    first, second = plans(lambda: listed(ConversationFilter(text="needle")))
    assert "USING COVERING INDEX conversation_words (workspace=? AND archived=?)" in first
    assert "(key=?)" in second


@pytest.mark.only("sqlite")
def test_forks_are_found_by_what_they_came_from() -> None:
    conversation(user("hello"), public_id="c")
    steps.save("c", "more", x=1)
    head = find_head(engine().workspace, "c")
    (plan,) = plans(lambda: forks_of(head))
    assert "USING INDEX execution_forks (origin_execution=?)" in plan


@pytest.mark.parametrize("few", [0, 1, 2, 500])
def test_a_word_finds_the_same_whether_few_or_many_have_it(
    monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(matching, "FEW", few)
    for name, title in (("one", "A Needle"), ("needle-2", ""), ("three", "thread")):
        conversation(public_id=name, title=title)
    conversation(public_id="needle-4", actor=engine(slug="other"))
    steps.save("one", "more", x=1)
    assert listed(ConversationFilter(text="needle")) == ["one", "needle-2"]
    assert listed(ConversationFilter(text="needle", status="RUNNING")) == ["one"]
    assert listed(ConversationFilter(text="needle", archived=True)) == []
    assert listed(ConversationFilter(text="näh")) == []


def test_what_bears_the_id_of_an_erased_conversation_has_none_of_its_forks() -> None:
    conversation(user("hello"), public_id="c")
    steps.save("c", "more", x=1)
    head = find_head(engine().workspace, "c")
    forks.fork(person(Role.ADMIN), "c", 1, ForkCheckpoint(id="f"))
    assert forks_of(head) == [Copy("f", "hello", 1)]
    erasure.erase(person(Role.ADMIN), "c")
    conversation(user("hello"), public_id="c")
    steps.save("c", "more", x=1)
    assert forks_of(find_head(engine().workspace, "c")) == []
