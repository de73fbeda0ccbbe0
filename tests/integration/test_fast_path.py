"""Calls that share a transaction: each gets its own answer, as if it had been alone."""

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from django.db import connection, connections

from checkpoints.models import Checkpoint
from checkpoints.services import checkpoint_saves
from conversations.models import Conversation, Message
from conversations.writing.cache import WRITE_CACHE
from ctxadmin.accounts.models import EngineToken
from ctxadmin.audit.models import AuditEntry
from ctxadmin.audit.verification import verify_stream
from ctxadmin.identity.roles import Scope
from ctxadmin.lib import clock
from tests.factories import conversation, engine, result, user
from tests.integration.checkpoints.flows import chain
from tests.integration.fast_path import App, gathered, token

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def app() -> Iterator[App]:
    with App() as made:
        yield made


def named(count: int, prefix: str = "c") -> list[Conversation]:
    return [conversation(user("hello"), public_id=f"{prefix}{n}") for n in range(count)]


def append(name: str, text: str = "more") -> tuple[str, str, object]:
    return ("POST", f"/conversations/{name}/messages", {"messages": [user(text)]})


def save(name: str, checkpoint: str, **more: Any) -> tuple[str, str, object]:
    body = {"node_id": "n", "state_data": {"k": 1}, **more}
    return ("PUT", f"/conversations/{name}/checkpoints/{checkpoint}", body)


def complete(name: str, checkpoint: str) -> tuple[str, str, object]:
    body = {"checkpoint_id": checkpoint, "result": {"response": "done"}}
    return ("POST", f"/conversations/{name}/nodes/n/complete", body)


def texts(head: Conversation) -> list[str]:
    rows = Message.objects.filter(conversation=head.key).order_by("index")
    return [bytes(row.body).decode() for row in rows]


def require_whole(*heads: Conversation) -> None:
    """Each change has its entry in the audit, whose chain holds, and the log has no gaps."""
    for head in heads:
        head.refresh_from_db()
        assert not verify_stream(head.key)
        rows = Message.objects.filter(conversation=head.key).order_by("index")
        assert list(rows.values_list("index", flat=True)) == list(range(head.log_count))


def test_of_two_workers_that_complete_a_node_one_is_refused(app: App) -> None:
    chain("w", "n", "m")
    head = conversation(user("hello"), public_id="c0", workflow="w")
    sent = (complete("c0", "one"), complete("c0", "two"))
    answers = app.send_together(*sent)
    assert sorted(answer.status_code for answer in answers) == [201, 409]
    (lost,) = (answer.json() for answer in answers if answer.status_code == 409)
    assert (lost["code"], lost["ready_nodes"]) == ("invalid_state", ["m"])
    again = app.send_together(*sent)
    assert sorted(answer.status_code for answer in again) == [200, 409]
    require_whole(head)


def test_calls_that_wait_are_written_by_one_transaction(app: App) -> None:
    heads = named(5)
    for head in heads:  # so that the process remembers what it has to know of each
        app.send(*append(head.public_id, "first"))
    app.writer.statements.clear()

    answers = app.send_together(*(append(head.public_id) for head in heads))

    assert [answer.status_code for answer in answers] == [201] * 5
    assert [answer.json()["first_index"] for answer in answers] == [2] * 5
    assert app.writer.batches[-1] == [head.public_id for head in heads]
    sent = app.writer.statements[-1]
    if connection.vendor == "mysql":
        assert len(sent) == 2  # who asks and the heads; all writes with COMMIT
    assert sum(sql.count("INSERT INTO") for sql in sent) == 2  # messages and audit of all
    require_whole(*heads)


def test_saves_and_completions_share_a_transaction_with_appends(app: App) -> None:
    heads = named(3)
    for number, head in enumerate(heads):
        app.send(*save(head.public_id, f"before-{number}"))
        app.send(*complete(head.public_id, f"then-{number}"))
        app.send(*append(head.public_id))

    answers = app.send_together(
        append("c0"), save("c1", "s1", messages=[user("m")]), complete("c2", "s2")
    )

    assert [answer.status_code for answer in answers] == [201] * 3
    assert answers[1].json() == {"version": 3, "status": "RUNNING"}
    assert answers[2].json()["node_status"] == "COMPLETED"
    if connection.vendor == "mysql":
        assert len(app.writer.statements[-1]) == 2
    require_whole(*heads)


def test_a_refused_call_gets_its_reason_and_leaves_nothing_and_the_others_are_stored(
    app: App,
) -> None:
    heads = named(4)
    wrong = ("POST", "/conversations/c1/messages", {"messages": [user("x") | {"role": "king"}]})
    behind = save("c2", "s", expected_version=7, messages=[user("never")])

    answers = app.send_together(append("c0"), wrong, behind, append("gone"), append("c3"))

    codes = [answer.status_code for answer in answers]
    assert codes == [201, 422, 409, 404, 201]
    assert answers[1].json()["errors"][0]["pointer"] == "/messages/0/role"
    assert answers[2].json()["code"] == "version_conflict"
    assert len(app.writer.batches[-1]) == 5
    assert [len(texts(head)) for head in heads] == [2, 1, 1, 2]
    require_whole(*heads)


def test_a_call_that_has_to_read_what_it_wrote_is_done_alone(app: App) -> None:
    heads = named(2)
    call = {"id": "call-1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    asked = {"role": "assistant", "content": None, "tool_calls": [call]}
    app.send("POST", "/conversations/c0/messages", {"messages": [asked]})
    answered = ("POST", "/conversations/c0/messages", {"messages": [result("call-1")]})

    answers = app.send_together(answered, append("c1"))

    assert [answer.status_code for answer in answers] == [201, 201]
    rows = Message.objects.filter(conversation=heads[0].key, call_index=1)
    assert rows.count() == 1
    require_whole(*heads)


def test_calls_on_one_conversation_are_written_in_their_order(app: App) -> None:
    heads = named(2)
    calls = [append("c0", f"text {n}") for n in range(4)]

    answers = app.send_together(calls[0], append("c1"), *calls[1:])

    assert [answer.json()["first_index"] for answer in answers] == [1, 1, 2, 3, 4]
    assert [batch for batch in app.writer.batches[1:] if "c0" in batch] == [
        ["c0", "c1"],
        ["c0"],
        ["c0"],
        ["c0"],
    ]
    assert [f"text {n}" in text for n, text in enumerate(texts(heads[0])[1:])] == [True] * 4
    require_whole(*heads)


def test_a_batch_takes_so_many_calls_and_the_next_the_others() -> None:
    heads = named(5)
    with App(most=2) as app:
        answers = app.send_together(*(append(head.public_id) for head in heads))
        assert [answer.status_code for answer in answers] == [201] * 5
        assert [len(batch) for batch in app.writer.batches[1:]] == [2, 2, 1]
    require_whole(*heads)


@pytest.mark.parametrize("flood", ["its own each", "one"])
def test_a_call_does_not_wait_behind_all_calls_of_another_token(flood: str) -> None:
    count = 6 if flood == "its own each" else 20  # more than are looked at for a batch
    heads = named(8)
    of_flood = [f"c{n + 1 if flood == 'its own each' else 1}" for n in range(count)]
    other = {"Authorization": f"Bearer {token()}"}
    with App(most=2) as app:

        async def act(http: httpx.AsyncClient) -> list[httpx.Response]:
            await app.request(http, *append("c7"))  # both are known by now
            await app.request(http, *append("c7"), **other)
            app.writer.hold()
            tasks = [asyncio.create_task(app.request(http, *append(each))) for each in of_flood]
            await gathered(app, count - 1)
            tasks.append(asyncio.create_task(app.request(http, *append("c0"), **other)))
            await gathered(app, count)
            while not app.writer.begun.is_set():
                await asyncio.sleep(0)
            app.writer.batches.clear()
            app.writer.go_on()
            return list(await asyncio.gather(*tasks))

        answers = app.run(act)
        assert {answer.status_code for answer in answers} == {201}
        assert "c0" in app.writer.batches[0]
    require_whole(*heads)


def test_a_large_call_is_not_written_with_others() -> None:
    heads = named(1)
    with App() as app:
        large = [user("x" * 1_000)] * 70
        answer = app.send("POST", "/conversations/c0/messages", {"messages": large})
        assert answer.status_code == 201
        assert app.writer.batches == []
    require_whole(*heads)


def test_a_repeated_save_gets_its_answer_again_and_those_beside_it_are_stored(app: App) -> None:
    heads = named(3)
    first = app.send(*save("c0", "same"))
    app.send(*save("c1", "start"))

    answers = app.send_together(append("c2"), save("c0", "same"), save("c1", "next"))

    assert [answer.status_code for answer in answers] == [201, 200, 201]
    assert answers[1].content == first.content
    assert Checkpoint.objects.filter(conversation=heads[0].key, checkpoint_id="same").count() == 1
    require_whole(*heads)


def test_a_packet_that_fails_leaves_no_memory_of_what_it_would_have_stored(app: App) -> None:
    heads = named(2)
    app.send(*append("c0"))
    entry = AuditEntry.objects.get(stream=heads[1].key)
    entry.pk = (heads[1].key, entry.seq + 1)  # which a second writer would have to have written
    entry.save(force_insert=True)
    kept: list[int] = []
    keep = WRITE_CACHE.store

    def noting(conversation: int, *args: Any) -> None:
        kept.append(conversation)
        keep(conversation, *args)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(WRITE_CACHE, "store", noting)
        answers = app.send_together(append("c0"), append("c1"))

    assert [answer.status_code for answer in answers] == [201, 503]
    assert kept == [heads[0].key]  # by its endpoint, afterwards
    AuditEntry.objects.filter(pk=entry.pk).delete()
    assert [answer.status_code for answer in app.send_together(append("c0"), append("c1"))] == [
        201,
        201,
    ]
    require_whole(*heads)


def test_a_waiter_that_is_cancelled_is_left_out_or_written_and_the_others_are_answered(
    app: App,
) -> None:
    heads = named(3)

    async def act(http: httpx.AsyncClient) -> list[int]:
        app.writer.hold()
        written = asyncio.create_task(app.request(http, *append("c0")))
        while not app.writer.begun.is_set():
            await asyncio.sleep(0)
        waits = asyncio.create_task(app.request(http, *append("c1")))
        other = asyncio.create_task(app.request(http, *append("c2")))
        await gathered(app, 2)
        written.cancel()
        waits.cancel()
        await asyncio.gather(written, waits, return_exceptions=True)
        app.writer.go_on()
        return [(await other).status_code, (await app.request(http, *append("c1"))).status_code]

    assert app.run(act) == [201, 201]
    assert [len(texts(head)) for head in heads] == [2, 2, 2]  # c0 was under way, c1 was not
    require_whole(*heads)


def test_a_token_that_was_revoked_is_refused_at_once(app: App) -> None:
    named(2)
    assert app.send(*append("c0")).status_code == 201
    others = token()

    EngineToken.objects.exclude(digest=EngineToken.objects.latest("created_at").digest).update(
        revoked_at=clock.now()
    )

    assert app.send(*append("c0")).status_code == 401
    app.secret = others
    assert app.send(*append("c0")).status_code == 201


def test_a_token_sees_its_own_workspace_and_does_what_its_scopes_allow(app: App) -> None:
    head = named(1)[0]
    app.secret = token(slug="elsewhere")
    assert app.send(*append("c0")).status_code == 404
    app.secret = token(Scope.REVIEW)
    refused = app.send(*append("c0"))
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert len(texts(head)) == 1


def test_two_workspaces_may_have_conversations_of_one_id_in_a_batch(app: App) -> None:
    here = named(2)
    there = conversation(user("far"), public_id="c0", actor=engine(slug="elsewhere"))
    home, away = app.secret, token(slug="elsewhere")

    async def act(http: httpx.AsyncClient) -> list[int]:
        app.writer.hold()
        tasks = []
        for secret, name in ((home, "c1"), (home, "c0"), (away, "c0")):
            app.secret = secret
            tasks.append(asyncio.create_task(app.request(http, *append(name))))
            await asyncio.sleep(0.0)
        while not app.writer.begun.is_set():
            await asyncio.sleep(0)
        app.writer.go_on()
        return [(await task).status_code for task in tasks]

    assert app.run(act) == [201, 201, 201]
    assert [len(texts(head)) for head in (*here, there)] == [2, 2, 2]
    require_whole(*here, there)


@pytest.mark.only("mysql")
def test_a_conversation_that_someone_holds_makes_no_one_else_wait(app: App) -> None:
    heads = named(2)
    app.send(*append("c1"))
    other = connections["default"].copy()
    other.inc_thread_sharing()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute(
                "SELECT 1 FROM conversations_conversation WHERE `key` = %s FOR UPDATE",
                [heads[0].key],
            )

        async def act(http: httpx.AsyncClient) -> list[int]:
            blocked = asyncio.create_task(app.request(http, *append("c0")))
            free = asyncio.create_task(app.request(http, *append("c1")))
            first = (await free).status_code
            assert not blocked.done()
            await asyncio.to_thread(other.rollback)
            return [first, (await blocked).status_code]

        assert app.run(act) == [201, 201]
    finally:
        other.close()
    require_whole(*heads)


@pytest.mark.only("mysql")
def test_a_connection_lost_within_a_batch_fails_all_its_calls_and_the_next_batch_works(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    heads = named(2)
    app.send(*save("c0", "before"))
    app.send(*append("c1"))
    real = checkpoint_saves.save_in
    lost: list[int] = []

    def losing(opened: Any, new: Any) -> bytes:
        answer = real(opened, new)
        if not lost:
            lost.append(connection.connection.thread_id())  # of the writer
            killer = connections["default"].copy()
            with killer.cursor() as cursor:
                cursor.execute("KILL %s", lost)
            killer.close()
        return answer

    monkeypatch.setattr("checkpoints.api.fast_path_writes.save_in", losing)
    answers = app.send_together(save("c0", "s0"), append("c1"))

    assert [answer.status_code for answer in answers] == [503, 503]
    for answer in answers:
        assert answer.headers["Retry-After"]
        assert answer.json()["code"] == "unavailable"
        assert "same Idempotency-Key" in answer.json()["detail"]
    assert not Checkpoint.objects.filter(checkpoint_id="s0").exists()
    again = app.send_together(save("c0", "s0"), append("c1"))
    assert [answer.status_code for answer in again] == [201, 201]
    require_whole(*heads)
