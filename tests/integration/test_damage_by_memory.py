"""A write that goes by what the process remembers is never put onto a damaged revision."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from conversations.models import Conversation, Message, Revision
from conversations.writing.cache import WRITE_CACHE
from ctxadmin.telemetry.metrics import REGISTRY
from tests.factories import assistant, conversation, user
from tests.integration.checkpoints.flows import Run
from tests.integration.fast_path import App

pytestmark = pytest.mark.django_db(transaction=True)

GROWING = {
    "grown": b"",
    "log_length": 3,
    "last_talk": 0,
    "visible_count": 5,
    "tokens": 1,
    "has_children": True,
    "grown_sum": 7,
}
KEEP_ONE = {"operation": "truncate", "truncate": {"keep_last": 1}}


@pytest.fixture
def run() -> Iterator[Run]:
    """A conversation of two revisions, of which the process remembers the current one."""
    WRITE_CACHE.clear()
    found = Run.start()
    messages = [user("hello"), assistant("hi"), user("and?")]
    assert found.append(*messages).status_code == 201
    cut = {"operation": "truncate", "truncate": {"keep_last": 2}}
    assert found.post("operations", cut).status_code == 200
    assert found.append(user("more")).status_code == 201
    assert found.head.key in WRITE_CACHE._known
    yield found
    WRITE_CACHE.clear()


def damage(run: Run, **columns: object) -> None:
    rows = Revision.objects.filter(conversation=run.head.key, number=1)
    assert rows.update(**columns) == 1


def delete(run: Run) -> None:
    assert Revision.objects.filter(conversation=run.head.key, number=1).delete()[0] == 1


def stored(run: Run) -> tuple[Any, ...]:
    rows = (
        Conversation.objects.filter(key=run.head.key),
        Message.objects.filter(conversation=run.head.key).order_by("index"),
        Revision.objects.filter(conversation=run.head.key).order_by("number"),
    )
    return tuple(list(each.values()) for each in rows)


def damaged_reads() -> float:
    return REGISTRY.get_sample_value("ctxadmin_damaged_reads_total", {"what": "revision"}) or 0


def require_refused(run: Run, answer: Any, before: tuple[Any, ...]) -> None:
    assert answer.status_code == 409, answer.content
    told = answer.json()
    assert (told["code"], told["what"], told["place"]) == ("damaged", "revision", "1")
    assert stored(run) == before


@pytest.mark.parametrize("column", GROWING)
def test_no_append_is_written_over_a_damaged_growing_column(
    run: Run, column: str, caplog: pytest.LogCaptureFixture
) -> None:
    damage(run, **{column: GROWING[column]})
    before, counted = stored(run), damaged_reads()
    for _ in range(2):
        require_refused(run, run.append(user("behind it")), before)
    assert damaged_reads() == counted + 2
    assert caplog.records[-1].getMessage() == "the stored revision is damaged"


def test_no_append_goes_into_a_revision_that_is_gone(run: Run) -> None:
    delete(run)
    require_refused(run, run.append(user("behind it")), stored(run))


def test_no_checkpoint_with_messages_is_written_onto_damage(run: Run) -> None:
    damage(run, grown=b"")
    before = stored(run)
    require_refused(run, run.save("c1", messages=[user("behind it")]), before)


@pytest.mark.parametrize(
    "column",
    [{"opened": b"\x00\x01"}, {"author": "somebody else"}, {"config": b"{"}, {"grown": b""}],
    ids=str,
)
@pytest.mark.parametrize(
    "write",
    [
        lambda run: run.post("operations", KEEP_ONE),
        lambda run: run.post("batches", {"boundary": 2}),
        lambda run: run.post("messages/pop", {"count": 1}),
        lambda run: run.post("rollback", {"batch": 0}),
    ],
    ids=["operation", "batch", "pop", "rollback"],
)
def test_no_operation_builds_on_a_damaged_revision(
    run: Run, column: dict[str, object], write: Callable[[Run], Any]
) -> None:
    damage(run, **column)
    before = stored(run)
    require_refused(run, write(run), before)


def test_a_row_that_is_older_than_the_sums_grows_by_memory(run: Run) -> None:
    damage(run, sum=None, grown_sum=None)
    WRITE_CACHE.clear()
    for text in ("one", "two"):
        assert run.append(user(text)).status_code == 201
    assert Revision.objects.get(conversation=run.head.key, number=1).grown_sum is not None


def test_of_appends_that_share_a_transaction_only_the_one_onto_damage_is_refused() -> None:
    WRITE_CACHE.clear()
    heads = [conversation(user("hello"), public_id=f"c{n}") for n in range(2)]
    sent = [
        ("POST", f"/conversations/c{n}/messages", {"messages": [user("more")]}) for n in range(2)
    ]
    with App() as app:
        assert [each.status_code for each in app.send_together(*sent)] == [201, 201]
        Revision.objects.filter(conversation=heads[0].key).update(tokens=1)
        answers = app.send_together(*sent)
        assert [each.status_code for each in answers] == [409, 201]
        assert answers[0].json()["code"] == "damaged"
    counts = [Message.objects.filter(conversation=head.key).count() for head in heads]
    assert counts == [2, 3]
    WRITE_CACHE.clear()
