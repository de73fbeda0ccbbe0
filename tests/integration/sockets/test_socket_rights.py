"""Who may listen to a socket, and until when."""

from typing import Any

import pytest

from conversations.services.use_cases import NewConversation, append, create
from ctxadmin.accounts.models import EngineToken, Membership, User
from ctxadmin.accounts.services import revoke_token, system_actor
from ctxadmin.identity.roles import Role, Scope
from ctxadmin.realtime import admission
from ctxadmin.realtime.hubs import current_hub
from ctxadmin.realtime.rights import recheck_all
from tests import factories
from tests.factories import Api, drafts, engine, user
from tests.integration.sockets.pages import Closed, Page, do, of_engine, of_person, play

pytestmark = pytest.mark.django_db(transaction=True)


def refused(page: Page) -> int:
    """The code with which a page is closed before or at its welcome."""

    async def scene() -> int:
        try:
            await page.open()
        except Closed as closed:
            return closed.code
        return 0

    return play(scene)


def test_no_one_listens_without_a_session_or_token() -> None:
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


def test_a_removed_or_deactivated_person_receives_nothing_more() -> None:
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
        await recheck_all(current_hub())
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
