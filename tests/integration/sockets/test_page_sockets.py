"""The messages that the sockets of pages receive."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from django.db import transaction

from conversations.lifecycle.erasure import erase
from conversations.services.use_cases import NewConversation, append, create
from ctxadmin.identity.roles import Role
from ctxadmin.realtime import hub, topics
from ctxadmin.realtime.hubs import current_hub
from ctxadmin.realtime.page_socket import _MOST_UNSENT, PageSocket
from ctxadmin.realtime.protocol import State
from tests import factories
from tests.factories import Api, drafts, engine, user
from tests.integration.sockets.pages import PATIENCE, do, of_person, play
from workflows.domain.document.graph import Document
from workflows.services.use_cases import NewWorkflow, publish, save_draft
from workflows.services.use_cases import create as create_workflow

pytestmark = pytest.mark.django_db(transaction=True)
CANARY = "c4n4ry said this"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[int]]:
    """What hubs read of conversations, beside what opening a page reads.

    None looks by itself meanwhile, however long a test takes on a busy machine.
    """
    monkeypatch.setattr(hub, "LOOK_ALONE_EVERY", PATIENCE)
    seen: list[Sequence[int]] = []
    source = topics.source_of("conversations")
    assert source is not None

    def read(keys: Sequence[int]) -> Mapping[int, State]:
        seen.append(keys)
        return source.read(keys)

    monkeypatch.setitem(topics.SOURCES, "conversations", replace(source, read=read))
    return seen


def save(api: Api, name: str, number: int, **state: object) -> None:
    body = {"node_id": "plan", "state_data": state, "messages": [user(CANARY)]}
    answer = api.put(f"/conversations/{name}/checkpoints/save-{number}", body)
    assert answer.status_code == 201, answer.content


def test_a_page_is_notified_of_each_commit_with_its_numbers_and_without_content() -> None:
    create(engine(), NewConversation(public_id="one", title=CANARY))
    api, client = Api(), factories.browser(Role.VIEWER)

    async def scene() -> None:
        page = of_person(client, "/ws/conversations/one/")
        welcome = await page.open()
        assert welcome["state"]["seq"] == 1
        assert welcome["scopes"] == []
        await do(save, api, "one", 1, plan=CANARY, secret={"deep": CANARY})
        frame = await page.next()
        assert CANARY not in json.dumps([welcome, frame])
        assert frame["v"] == 1
        assert (frame["type"], frame["id"], frame["seq"]) == ("changed", "one", 2)
        assert (frame["status"], frame["version"], frame["count"]) == ("RUNNING", 1, 1)
        assert frame["who"]["name"] == "test token"
        assert set(frame["keys"]) == {"plan", "secret", "messages"}
        await do(lambda: append(engine(), "one", drafts(user(CANARY))))
        later = await page.next()
        assert (later["seq"], later["version"], later["count"]) == (3, None, 2)
        await page.leave()

    play(scene)


def test_a_change_that_is_undone_is_not_reported() -> None:
    create(engine(), NewConversation(public_id="one"))
    client = factories.browser()

    def undone() -> None:
        with transaction.atomic():
            append(engine(), "one", drafts(user("never")))
            transaction.set_rollback(True)

    async def scene() -> None:
        page = of_person(client, "/ws/conversations/one/")
        await page.open()
        await do(undone)
        await do(lambda: append(engine(), "one", drafts(user("kept"))))
        assert (await page.next())["seq"] == 2
        await page.leave()

    play(scene)


def test_a_change_costs_no_query_however_many_pages_are_open(reads: list[Sequence[int]]) -> None:
    create(engine(), NewConversation(public_id="one"))
    client = factories.browser()

    async def scene() -> None:
        pages = [of_person(client, "/ws/conversations/one/") for _ in range(12)]
        for page in pages:
            await page.open()
        await do(lambda: append(engine(), "one", drafts(user("news"))))
        for page in pages:
            assert (await page.next())["seq"] == 2
            await page.leave()

    play(scene)
    assert reads == []


def test_what_was_missed_is_read_once_for_all_pages(reads: list[Sequence[int]]) -> None:
    create(engine(), NewConversation(public_id="one"))
    client = factories.browser()

    async def scene() -> None:
        pages = [of_person(client, "/ws/conversations/one/") for _ in range(5)]
        for page in pages:
            await page.open()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("ctxadmin.realtime.hub.Hub.deliver", lambda hub, messages: None)
            await do(lambda: append(engine(), "one", drafts(user("unheard"))))
        await do(lambda: append(engine(), "one", drafts(user("heard"))))
        for page in pages:
            assert (await page.next())["seq"] == 3
            again = await page.next()
            assert (again["what"], again["seq"], again["count"]) == ("seen", 3, 2)
            await page.leave()

    play(scene)
    assert len(reads) == 1


def test_a_look_finds_what_no_one_announced(reads: list[Sequence[int]]) -> None:
    create(engine(), NewConversation(public_id="one"))
    client = factories.browser()

    async def scene() -> None:
        page = of_person(client, "/ws/conversations/one/")
        await page.open()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("ctxadmin.realtime.hub.Hub.deliver", lambda hub, messages: None)
            await do(lambda: append(engine(), "one", drafts(user("unheard"))))
        await current_hub().poll()
        frame = await page.next()
        assert (frame["seq"], frame["what"], frame["who"]) == (2, "seen", None)
        await current_hub().poll()
        await do(lambda: append(engine(), "one", drafts(user("heard"))))
        assert (await page.next())["seq"] == 3
        await page.leave()

    play(scene)
    assert len(reads) == 2


def test_a_workflow_tells_of_its_draft_and_its_versions() -> None:
    client, designer = factories.browser(Role.VIEWER), factories.person(Role.DESIGNER)
    create_workflow(designer, NewWorkflow(slug="flow"))
    node = {"id": "begin", "type": "start", "name": CANARY}
    document = Document.model_validate({"name": "flow", "nodes": [node], "edges": []})

    async def scene() -> None:
        page = of_person(client, "/ws/workflows/flow/")
        assert (await page.open())["state"]["draft_version"] == 0
        await do(save_draft, designer, "flow", document, 0)
        frame = await page.next()
        assert (frame["type"], frame["draft_version"]) == ("draft", 1)
        assert frame["who"]["name"] == designer.name
        await do(publish, designer, "flow", 1)
        frame = await page.next()
        assert (frame["what"], frame["published_version"]) == ("published", 1)
        await page.leave()

    play(scene)


def test_the_overview_is_notified_of_everything_in_its_workspace_and_of_nothing_else() -> None:
    client = factories.browser()
    factories.workspace("other")

    async def scene() -> None:
        page = of_person(client, "/ws/workspace/")
        assert (await page.open())["state"] is None
        await do(lambda: create(engine(slug="other"), NewConversation(public_id="theirs")))
        await do(lambda: create(engine(), NewConversation(public_id="ours", title=CANARY)))
        frame = await page.next()
        assert (frame["type"], frame["id"], frame["status"]) == ("activity", "ours", "IDLE")
        assert CANARY not in json.dumps(frame)
        await page.leave()

    play(scene)


def test_an_erased_conversation_is_gone_for_its_pages() -> None:
    create(engine(), NewConversation(public_id="one"))
    client = factories.browser()

    async def scene() -> None:
        page = of_person(client, "/ws/conversations/one/")
        await page.open()
        await do(lambda: erase(factories.person(Role.ADMIN), "one"))
        assert (await page.next())["type"] == "gone"
        await page.leave()

    play(scene)


def test_a_client_that_does_not_read_loses_the_oldest_frames_and_holds_up_no_one() -> None:
    create(engine(), NewConversation(public_id="one"))
    client = factories.browser()

    async def scene() -> None:
        page = of_person(client, "/ws/conversations/one/")
        await page.open()
        listener = current_hub().listeners()[0]
        assert isinstance(listener, PageSocket)
        state = current_hub().state_of(listener.topic)
        assert state is not None
        for seq in range(2, 2 + 3 * _MOST_UNSENT):
            frame = state.model_copy(update={"seq": seq}).as_change()
            listener.on_change(frame, frame.model_dump_json())
        first = await page.next()
        assert first["seq"] == 2 + 2 * _MOST_UNSENT
        await page.leave()

    play(scene)
