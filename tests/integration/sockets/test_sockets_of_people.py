"""What clients say on their sockets: who is where, and what nobody may send."""

import pytest

from conversations.services.use_cases import NewConversation, create
from ctxadmin.identity.roles import Role, Scope
from tests import factories
from tests.factories import Api, engine
from tests.integration.sockets.pages import of_engine, of_person, play

pytestmark = pytest.mark.django_db(transaction=True)


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
        await theirs.say(v=1, type="here", where="key:plan", editing=True, keys=["goal"], kept=2)
        seen = await mine.people(lambda people: any(each["editing"] for each in people))
        assert seen[0] | {"socket": "", "id": ""} == {
            "socket": "",
            "id": "",
            "name": "designer-default",
            "where": "key:plan",
            "editing": True,
            "keys": ["goal"],
            "kept": 2,
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
