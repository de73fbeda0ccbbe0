"""An engine that is written with the Python client dies at every point, and nothing is twice."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from ctxadmin_client import (
    AsyncClient,
    Client,
    Duplicate,
    Forbidden,
    InvalidState,
    NotFound,
    OtherWorkflow,
    Unauthenticated,
)
from ctxadmin_client.calls import Call
from ctxadmin_client.steps import checkpoint_id

from tests.examples import share_of
from tests.live_server import LiveServer
from tests.servers import ROOT

DOCUMENT = {
    "name": "Three nodes",
    "nodes": [
        {"id": "start", "type": "start"},
        {"id": "draft", "type": "llm"},
        {"id": "send", "type": "llm"},
    ],
    "edges": [
        {"id": "e1", "type": "sequence", "from": "start", "to": "draft"},
        {"id": "e2", "type": "sequence", "from": "draft", "to": "send"},
    ],
}
QUESTION = {"role": "user", "content": "Where is my parcel?"}
MOST_MOMENTS = 48
REVOKE_LAST = """
from ctxadmin.accounts.models import EngineToken
from ctxadmin.accounts.services import default_workspace, revoke_token, system_actor
last = EngineToken.objects.latest("created_at")
revoke_token(system_actor(default_workspace(), "tests"), last.public_id)
"""


@pytest.fixture(scope="module", params=["sqlite", "mariadb"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveServer]:
    settings = {}
    if request.param == "mariadb":
        settings = {"DATABASE_URL": request.getfixturevalue("mariadb_of_module")}
    with LiveServer(tmp_path_factory.mktemp("client"), settings, "--no-demo") as live:
        live.make_people("engine", "review", "design", "admin")
        yield live


@pytest.fixture(scope="module")
def token(server: LiveServer) -> str:
    return server.token("engine", "review", "design", "admin")


@pytest.fixture(scope="module")
def client(server: LiveServer, token: str) -> Iterator[Client]:
    with Client(server.url, token) as opened:
        yield opened


@pytest.fixture(scope="module")
def workflow(client: Client) -> str:
    """The slug of a published workflow of three nodes, one after the other."""
    send = client.transport.send
    send(Call("POST", "/workflows", body={"slug": "three", "name": "Three nodes"}))
    draft = {"document": DOCUMENT, "expected_version": 0}
    version = send(Call("PUT", "/workflows/three/draft", body=draft))["draft_version"]
    send(Call("POST", "/workflows/three/publish", body={"expected_version": version}))
    return "three"


def new_id() -> str:
    return f"c-{uuid4().hex[:12]}"


def worker(server: LiveServer, *arguments: str) -> subprocess.Popen[str]:
    path = os.pathsep.join([str(ROOT), str(ROOT / "sdk/python/src")])
    return subprocess.Popen(
        [sys.executable, "-m", "tests.fault.client_worker", server.url, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_worker_that_dies_between_any_two_calls_leaves_nothing_undone_or_twice(
    server: LiveServer, token: str, client: Client, workflow: str
) -> None:
    name = new_id()
    moments = [str(moment) for moment in share_of(range(MOST_MOMENTS), parts=2)]
    started = worker(server, token, workflow, name, *moments)
    died = started.communicate(timeout=300)[0].split()
    assert started.returncode == 0
    assert 10 < len(died) < len(moments)  # the last ones are behind the end
    for moment in moments:
        conversation = client.conversation(f"{name}-{moment}")
        snapshot = conversation.snapshot()
        said = [each["content"] for each in conversation.messages()]
        assert (moment, snapshot.status, snapshot.version) == (moment, "COMPLETED", 3)
        assert list(snapshot.executed_node_ids) == ["start", "draft", "send"], moment
        assert said == ["Where is my parcel?", "start at 0", "draft at 1", "send at 2"], moment


def test_workers_share_the_nodes_and_do_none_twice(
    server: LiveServer, token: str, client: Client, workflow: str
) -> None:
    name = new_id()
    workers = [worker(server, token, workflow, name) for _ in range(3)]
    assert [each.wait(120) for each in workers] == [0, 0, 0]
    snapshot = client.conversation(name).snapshot()
    assert list(snapshot.executed_node_ids) == ["start", "draft", "send"]


def test_a_node_that_is_not_completed_is_free_at_once(client: Client, workflow: str) -> None:
    with client.execution(new_id(), workflow=workflow, messages=[QUESTION]) as run:
        node = next(run.ready())
        with pytest.raises(ZeroDivisionError), node.claim():
            raise ZeroDivisionError
        again = next(run.ready())
        assert again.id == node.id
        with again.claim() as step:
            step.complete("done")


def test_a_node_of_someone_else_is_reported_with_who_holds_it(
    client: Client, workflow: str
) -> None:
    with client.execution(new_id(), workflow=workflow, messages=[QUESTION]) as run:
        nodes = run.ready()
        next(nodes)
        with pytest.raises(InvalidState) as caught:
            run.conversation.claim_node("start", 60)
        assert caught.value.held_by


def test_a_run_waits_for_a_person_and_continues(client: Client, workflow: str) -> None:
    async def both() -> list[str]:
        name, seen = new_id(), []
        transport = client.transport._http
        url, secret = str(transport.base_url), transport.headers["authorization"].split()[1]
        async with (
            AsyncClient(url, secret) as other,
            other.execution(name, workflow=workflow, messages=[QUESTION]) as run,
        ):
            async for node in run.ready():
                async with node.claim() as step:
                    done = await step.complete(f"{node.id} done")
                seen.append(f"{node.id} {done.status}")
                if node.id == "start":
                    await run.conversation.pause(reason="a look")
                if done.status == "PAUSED":
                    resume = client.conversation(name).resume
                    asyncio.get_running_loop().call_later(0.5, resume)
            seen.append(await run.status())
        return seen

    assert asyncio.run(both()) == [
        "start RUNNING",
        "draft PAUSED",
        "send COMPLETED",
        "COMPLETED",
    ]


def test_the_feed_tells_the_changes_of_conversations(client: Client) -> None:
    name = new_id()
    feed = client.events("0", kinds=["messages"])
    client.create(name).append({"role": "user", "content": "news"})
    assert next(event.what for event in feed if event.conversation == name) == "messages.append"


def test_messages_operations_and_refusals(client: Client, server: LiveServer) -> None:
    conversation = client.create(messages=[{"role": "user", "content": f"{n}"} for n in range(5)])
    done = conversation.operate("truncate", truncate={"keep_last": 2}, reason="short")
    assert (done.batch, done.visible_count) == (1, 2)
    assert [each["content"] for each in conversation.messages()] == ["3", "4"]
    assert len(list(conversation.messages("all"))) == 5
    found = conversation.recall(0)
    assert (found["content"], found["visible"]) == ("0", False)
    assert conversation.recall("log-4", node="plan")["content"] == "4"
    told = [(each["index"], each["node"], each["recalls"]) for each in conversation.recalls()]
    assert told == [(0, None, 1), (4, "plan", 1)]
    assert [each["content"] for each in conversation.pop()] == ["4"]
    conversation.roll_back(0)
    assert len(conversation.messages_for("openai")["messages"]) == 5
    with pytest.raises(Duplicate):
        client.create(conversation.id)
    with pytest.raises(NotFound):
        client.conversation("nobody").read()
    with pytest.raises(Unauthenticated), Client(server.url, "wrong") as stranger:
        stranger.conversation("x").read()
    with (
        pytest.raises(Forbidden),
        Client(server.url, server.make_token("design")) as other,
    ):
        other.create()
    conversation.delete()


def test_a_completion_that_comes_too_late_ends_its_block_and_not_the_run(
    client: Client, workflow: str
) -> None:
    name = new_id()
    with client.execution(name, workflow=workflow, messages=[QUESTION]) as run:
        for node in run.ready():
            with node.claim() as step:
                client.conversation(name).cancel()
                step.complete("too late")
            assert step.overtaken is not None
        assert run.status() == "CANCELLED"


def test_a_completion_of_someone_else_with_other_words_ends_the_block_only(
    client: Client, workflow: str
) -> None:
    with client.execution(new_id(), workflow=workflow, messages=[QUESTION]) as run:
        nodes = run.ready()
        with next(nodes).claim() as step:
            run.conversation.complete(
                "start",
                checkpoint_id(run.execution, "start", step.version),
                {"response": "faster"},
                lease=step.lease,
            )
            step.complete("slower")
        assert isinstance(step.overtaken, Duplicate)
        assert next(nodes).id == "draft"


def test_a_node_that_is_passed_over_is_free_for_others(client: Client, workflow: str) -> None:
    with client.execution(new_id(), workflow=workflow, messages=[QUESTION]) as run:
        nodes = run.ready()
        assert next(nodes).id == "start"
        del nodes
        assert run.conversation.claim_node("start", 60)["lease"]


def test_a_run_that_ends_early_gives_up_its_node(client: Client, workflow: str) -> None:
    with client.execution(new_id(), workflow=workflow, messages=[QUESTION]) as run:
        nodes = run.ready()
        assert next(nodes).id == "start"
    assert run.conversation.claim_node("start", 60)["lease"]
    del nodes


def test_nodes_get_messages_of_a_provider_and_give_them(client: Client, workflow: str) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "look", "input": {"id": 7}}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": "in Lyon"}
    said = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [answer]}]
    with client.execution(
        new_id(), workflow=workflow, provider="anthropic", messages=[QUESTION]
    ) as run:
        for node in run.ready():
            with node.claim() as step:
                if step.type == "start":
                    step.complete(messages=said)
                elif node.id == "draft":
                    assert [each["role"] for each in step.messages] == ["user", "assistant", "user"]
                    step.complete("done")
                else:
                    step.complete("sent")
    roles = [each["role"] for each in run.conversation.messages()]
    assert roles == ["user", "assistant", "tool"]


def test_a_run_whose_token_is_revoked_stops_and_continues_with_another(
    server: LiveServer, token: str, workflow: str
) -> None:
    name, revoked = new_id(), server.make_token("engine")

    def work(secret: str, at_draft: Callable[[], object]) -> list[str]:
        with (
            Client(server.url, secret) as engine,
            engine.execution(name, workflow=workflow, ttl=1, messages=[QUESTION]) as run,
        ):
            for node in run.ready():
                with node.claim() as step:
                    if node.id == "draft":
                        at_draft()
                    step.complete(messages=[{"role": "assistant", "content": node.id}])
            return [each["content"] for each in run.conversation.messages()]

    with pytest.raises(Unauthenticated):
        work(revoked, lambda: server.manage("shell", "-v", "0", "-c", REVOKE_LAST))
    assert work(token, lambda: None) == ["Where is my parcel?", "start", "draft", "send"]


def test_an_execution_of_another_workflow_is_not_taken_up(client: Client, workflow: str) -> None:
    name = new_id()
    with client.execution(name, workflow=workflow):
        pass
    with pytest.raises(OtherWorkflow), client.execution(name, workflow="other"):
        pass


def test_a_server_that_is_killed_and_starts_again_leaves_nothing_out_or_twice(
    server: LiveServer, token: str
) -> None:
    words = [f"message {number}" for number in range(60)]
    halfway, killed, before = threading.Event(), threading.Event(), server.pid

    def append(name: str) -> list[str]:
        with Client(server.url, token) as engine:
            conversation = engine.create(name)
            for number, text in enumerate(words):
                conversation.append({"role": "user", "content": text})
                if number == len(words) // 3:
                    halfway.set()
                if number == len(words) // 2:
                    killed.wait(60)
            return [each["content"] for each in conversation.messages()]

    # The server dies with the thread that started it, so this one restarts it.
    with ThreadPoolExecutor(4) as pool:
        appending = [pool.submit(append, new_id()) for _ in range(4)]
        assert halfway.wait(60)
        server.kill()
        killed.set()
        server.start()
        assert [each.result(timeout=120) for each in appending] == [words] * 4
    assert server.pid != before
