"""Sockets of pages: what they hear, who may listen, and what nobody may send."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from django.db import transaction

from conversations.erasure import erase
from conversations.services import NewConversation, append, create
from ctxadmin.accounts.models import EngineToken, Membership, User
from ctxadmin.accounts.roles import Role, Scope
from ctxadmin.accounts.services import revoke_token, system_actor
from ctxadmin.sockets import admission, topics
from ctxadmin.sockets.following import as_frame
from ctxadmin.sockets.hubs import hub_here
from ctxadmin.sockets.page_socket import _MOST_UNSENT, PageSocket
from ctxadmin.sockets.protocol import State
from ctxadmin.sockets.rights import look_at_all
from tests import factories
from tests.factories import Api, drafts, engine, user
from tests.integration.sockets.pages import Closed, Page, do, of_engine, of_person, play
from workflows.domain.graph import Document
from workflows.services import NewWorkflow, publish, save_draft
from workflows.services import create as create_workflow

pytestmark = pytest.mark.django_db(transaction=True)
CANARY = "c4n4ry said this"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[int]]:
    """What hubs read of conversations, beside what opening a page reads."""
    seen: list[Sequence[int]] = []
    source = topics.source_of("conversations")
    assert source is not None

    def read(keys: Sequence[int]) -> Mapping[int, State]:
        seen.append(keys)
        return source.read(keys)

    monkeypatch.setitem(topics._sources, "conversations", replace(source, read=read))
    return seen


def save(api: Api, name: str, number: int, **state: object) -> None:
    body = {"node_id": "plan", "state_data": state, "messages": [user(CANARY)]}
    answer = api.put(f"/conversations/{name}/checkpoints/save-{number}", body)
    assert answer.status_code == 201, answer.content


def test_a_page_hears_of_each_commit_with_its_numbers_and_without_content() -> None:
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


def test_a_change_that_is_undone_is_not_told() -> None:
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
            patch.setattr("ctxadmin.sockets.hub.Hub.carry", lambda hub, message: None)
            await do(lambda: append(engine(), "one", drafts(user("unheard"))))
        await do(lambda: append(engine(), "one", drafts(user("heard"))))
        for page in pages:
            assert (await page.next())["seq"] == 3
            again = await page.next()
            assert (again["what"], again["seq"], again["count"]) == ("seen", 3, 2)
            await page.leave()

    play(scene)
    assert len(reads) == 1


def test_a_look_finds_what_nobody_announced(reads: list[Sequence[int]]) -> None:
    create(engine(), NewConversation(public_id="one"))
    client = factories.browser()

    async def scene() -> None:
        page = of_person(client, "/ws/conversations/one/")
        await page.open()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("ctxadmin.sockets.hub.Hub.carry", lambda hub, message: None)
            await do(lambda: append(engine(), "one", drafts(user("unheard"))))
        await hub_here().look()
        frame = await page.next()
        assert (frame["seq"], frame["what"], frame["who"]) == (2, "seen", None)
        await hub_here().look()
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


def test_the_overview_hears_of_everything_in_its_workspace_and_of_nothing_else() -> None:
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


def refused(page: Page) -> int:
    """The code with which a page is closed before or at its welcome."""

    async def scene() -> int:
        try:
            await page.open()
        except Closed as closed:
            return closed.code
        return 0

    return play(scene)


def test_nobody_listens_without_a_session_or_token() -> None:
    create(engine(), NewConversation(public_id="one"))
    path = "/ws/conversations/one/"
    here = [(b"host", b"testserver"), (b"origin", b"http://testserver")]
    assert refused(Page(path, here)) == 4401
    assert refused(Page(path, [*here, (b"cookie", b"ctxadmin=" + b"0" * 32)])) == 4401
    assert refused(Page(path, [(b"authorization", b"Bearer ctxa_wrong")])) == 4401


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "", "http://testserver:81", "null", "ftp://testserver"]
)
def test_a_page_of_another_site_cannot_open_a_socket(origin: str) -> None:
    create(engine(), NewConversation(public_id="one"))
    client = factories.browser()
    assert refused(of_person(client, "/ws/conversations/one/", origin)) == 403


def test_what_is_of_another_workspace_is_not_found() -> None:
    factories.workspace("other")
    create(engine(slug="other"), NewConversation(public_id="theirs"))
    client = factories.browser(Role.ADMIN)
    assert refused(of_person(client, "/ws/conversations/theirs/")) == 4404
    assert refused(of_person(client, "/ws/conversations/nowhere/")) == 4404
    assert refused(of_person(client, "/ws/secrets/one/")) == 4404
    assert refused(of_person(client, "/ws/")) == 403


def closed_by(change: Any, page: Page) -> int:
    """The code with which an open page is closed by a change."""

    async def scene() -> int:
        await page.open()
        await do(change)
        return await page.closed()

    return play(scene)


def test_a_revoked_token_ends_its_sockets() -> None:
    create(engine(), NewConversation(public_id="one"))
    api = Api([Scope.ENGINE])
    token = EngineToken.objects.get().public_id
    admin = system_actor(factories.workspace(), "tests")
    page = of_engine(api, "/ws/conversations/one/")
    assert closed_by(lambda: revoke_token(admin, token), page) == 4401


def test_a_changed_role_ends_the_sockets_of_that_person_only() -> None:
    create(engine(), NewConversation(public_id="one"))
    mine, theirs = factories.browser(Role.REVIEWER), factories.browser(Role.DESIGNER)

    def degrade() -> None:
        membership = Membership.objects.get(user__username="reviewer-default")
        membership.role = Role.VIEWER.value
        membership.save()

    async def scene() -> None:
        page = of_person(mine, "/ws/conversations/one/")
        other = of_person(theirs, "/ws/conversations/one/")
        await page.open()
        await other.open()
        await do(degrade)
        assert await page.closed() == 4403
        again = of_person(mine, "/ws/conversations/one/")
        assert (await again.open())["scopes"] == []
        await do(lambda: append(engine(), "one", drafts(user("news"))))
        assert (await other.next())["seq"] == 2
        await other.leave()
        await again.leave()

    play(scene)


def test_who_leaves_the_workspace_or_is_switched_off_hears_no_more() -> None:
    create(engine(), NewConversation(public_id="one"))
    client = factories.browser(Role.REVIEWER)
    page = of_person(client, "/ws/conversations/one/")
    assert closed_by(lambda: Membership.objects.get().delete(), page) == 4401
    client = factories.browser(Role.DESIGNER)

    def switch_off() -> None:
        person = User.objects.get(username="designer-default")
        person.is_active = False
        person.save()

    assert closed_by(switch_off, of_person(client, "/ws/conversations/one/")) == 4401


def test_signing_out_ends_the_sockets_of_that_browser() -> None:
    create(engine(), NewConversation(public_id="one"))
    client = factories.signed_in(Role.REVIEWER)
    page = of_person(client, "/ws/conversations/one/")
    assert closed_by(lambda: client.post("/sign-out/"), page) == 4401


def test_rights_that_were_changed_by_hand_are_noticed() -> None:
    create(engine(), NewConversation(public_id="one"))
    client = factories.browser(Role.REVIEWER)

    async def scene() -> None:
        page = of_person(client, "/ws/conversations/one/")
        await page.open()
        await do(Membership.objects.update, role=Role.VIEWER.value)
        await look_at_all(hub_here())
        assert await page.closed() == 4403

    play(scene)


def test_one_person_has_a_bounded_number_of_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "MOST_OF_A_PERSON", 2)
    create(engine(), NewConversation(public_id="one"))
    mine, theirs = factories.browser(Role.REVIEWER), factories.browser(Role.VIEWER)

    async def scene() -> None:
        first, second = (of_person(mine, "/ws/conversations/one/") for _ in range(2))
        await first.open()
        await second.open()
        with pytest.raises(Closed, match="4429"):
            await of_person(mine, "/ws/conversations/one/").open()
        other = of_person(theirs, "/ws/conversations/one/")
        await other.open()
        await first.leave()
        third = of_person(mine, "/ws/conversations/one/")
        await third.open()
        for each in (second, other, third):
            await each.leave()

    play(scene)
    assert not admission._open


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("no json", 4400),
        ('{"v":2,"type":"here","where":""}', 4400),
        ('{"v":1,"type":"changed","id":"one","seq":9}', 4400),
        ('{"v":1,"type":"here","where":"' + "x" * 201 + '"}', 4400),
        ('{"v":1,"type":"here","where":"","state_data":{}}', 4400),
        (" " * 5000, 4400),
    ],
)
def test_what_no_client_may_send_ends_the_socket(text: str, code: int) -> None:
    create(engine(), NewConversation(public_id="one"))
    client = factories.browser()

    async def scene() -> None:
        page = of_person(client, "/ws/conversations/one/")
        await page.open()
        await page.send(text=text)
        assert await page.closed() == code

    play(scene)


def test_bytes_and_floods_end_the_socket() -> None:
    create(engine(), NewConversation(public_id="one"))
    client = factories.browser()

    async def scene() -> None:
        page = of_person(client, "/ws/conversations/one/")
        await page.open()
        await page.send(data=b"{}")
        assert await page.closed() == 4400
        page = of_person(client, "/ws/conversations/one/")
        await page.open()
        for place in range(40):
            await page.say(v=1, type="here", where=f"key:{place}")
        assert await page.closed() == 4429

    play(scene)


def test_people_see_each_other_come_edit_and_go() -> None:
    create(engine(), NewConversation(public_id="one"))
    ada, bob = factories.browser(Role.REVIEWER), factories.browser(Role.DESIGNER)

    async def scene() -> None:
        mine, theirs = (of_person(each, "/ws/conversations/one/") for each in (ada, bob))
        me = await mine.open()
        await theirs.open()
        both = await mine.people(lambda people: len(people) == 2)
        assert me["socket"] in {each["socket"] for each in both}
        await theirs.say(v=1, type="here", where="key:plan", editing=True)
        seen = await mine.people(lambda people: any(each["editing"] for each in people))
        assert seen[0] | {"socket": "", "id": ""} == {
            "socket": "",
            "id": "",
            "name": "designer-default",
            "where": "key:plan",
            "editing": True,
        }
        await theirs.leave()
        assert len(await mine.people(lambda people: len(people) == 1)) == 1
        await mine.leave()

    play(scene)


def test_an_engine_listens_without_being_shown() -> None:
    create(engine(), NewConversation(public_id="one"))
    client, api = factories.browser(), Api([Scope.ENGINE])

    async def scene() -> None:
        machine = of_engine(api, "/ws/conversations/one/")
        assert (await machine.open())["scopes"] == ["engine"]
        page = of_person(client, "/ws/conversations/one/")
        await page.open()
        people = await page.people(lambda people: bool(people))
        assert [each["name"] for each in people] == ["reviewer-default"]
        await machine.leave()
        await page.leave()

    play(scene)


def test_a_client_that_does_not_read_loses_the_oldest_frames_and_holds_up_nobody() -> None:
    create(engine(), NewConversation(public_id="one"))
    client = factories.browser()

    async def scene() -> None:
        page = of_person(client, "/ws/conversations/one/")
        await page.open()
        listener = hub_here().listeners()[0]
        assert isinstance(listener, PageSocket)
        state = hub_here().state_of(listener.topic)
        assert state is not None
        for seq in range(2, 2 + 3 * _MOST_UNSENT):
            frame = as_frame(state.model_copy(update={"seq": seq}))
            listener.hear(frame, frame.model_dump_json())
        first = await page.next()
        assert first["seq"] == 2 + 2 * _MOST_UNSENT
        await page.leave()

    play(scene)
