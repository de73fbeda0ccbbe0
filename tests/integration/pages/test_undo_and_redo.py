"""Undoing and doing again, one after the other, whatever others do meanwhile."""

import random
import re
from collections.abc import Sequence
from html import unescape

import pytest
from django.test import Client

from conversations.domain.configs import read_operation
from conversations.services import pins
from conversations.services.use_cases import append, apply_operation
from conversations.store.conversation import find_head
from conversations.store.pin_rows import pins_of
from ctxadmin.identity.roles import Role
from tests.factories import (
    drafts,
    engine,
    signed_in,
    user,
)
from tests.integration.pages.sheet_scenes import apply, booking, shown, text

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def undone(client: Client) -> str:
    """The page after its *Undo* was pressed."""
    page = text(client.get("/conversations/t/"))
    address = re.search(
        r'<form method="post" action="([^"]+)"[^>]*>(?:(?!</form>).)*name="undo" value="1"', page
    )
    assert address is not None
    return text(client.post(unescape(address[1]), {"undo": "1"}, follow=True))


def test_one_after_the_other_of_ones_own_changes_is_undone(reviewer: Client) -> None:
    booking()
    apply(reviewer, "hide", "4", pairing="drop")
    apply(reviewer, "hide", "1", pairing="drop", revision="1", count="4")
    assert shown(text(reviewer.get("/conversations/t/"))) == [0, 2, 3]
    assert shown(undone(reviewer)) == [0, 1, 2, 3]
    assert shown(undone(reviewer)) == [0, 1, 2, 3, 4]
    assert 'name="undo" value="1"' not in text(reviewer.get("/conversations/t/"))


def test_who_undoes_stays_in_the_view_also_on_the_way_back(reviewer: Client) -> None:
    booking()
    there = apply(reviewer, "hide", "4", pairing="drop").redirect_chain[-1][0]
    back = undone(reviewer)
    assert 'aria-current="page">Current view' in re.sub(r"\s+", " ", back)
    again = re.search(r'action="([^"]+)"[^>]*>(?:(?!</form>).)*value="redo"', back)
    assert again is not None
    reviewer.post(unescape(again[1]), {"undo": "redo"})
    for address in (there, "/conversations/t/?near=4#m4"):
        assert shown(text(reviewer.get(address))) == [0, 1, 2, 3]
    assert reviewer.get("/conversations/t/?at=4").status_code == 302
    assert reviewer.get("/conversations/t/?at=4", headers={"HX-Request": "true"}).status_code == 200


def test_an_undo_after_another_changed_stays_and_says_whose_change_is_the_last(
    reviewer: Client,
) -> None:
    booking()
    apply(reviewer, "hide", "4", pairing="drop")
    page = text(reviewer.get("/conversations/t/"))
    address = re.search(r'action="([^"]+)"[^>]*>(?:(?!</form>).)*name="undo" value="1"', page)
    assert address is not None
    cut = read_operation({"operation": "truncate", "truncate": {"remove_last": 1}})
    apply_operation(engine(), "t", cut)
    for _ in range(2):  # nothing was applied: sent again, it says the same
        sent = {"undo": "1", "form_key": "one-press"}
        answer = reviewer.post(unescape(address[1]), sent, follow=True)
        assert answer.redirect_chain == [("/conversations/t/", 302)]
        assert shown(text(answer)) == [0, 1, 2]
        note = text(answer).partition('id="messages"')[2].partition('id="live-link"')[0]
        assert "The last change is by test engine (token): Hid the last 1 message." in note
        assert "Already saved" not in note
    question = text(reviewer.get("/conversations/t/restore/0/"))
    assert "2 “Hid the last 1 message” by test engine (token), 1 “Hid #4”" in question


def test_an_undo_after_ones_own_change_elsewhere_undoes_nothing(reviewer: Client) -> None:
    booking()
    apply(reviewer, "hide", "4", pairing="drop")
    page = text(reviewer.get("/conversations/t/"))
    address = re.search(r'action="([^"]+)"[^>]*>(?:(?!</form>).)*name="undo" value="1"', page)
    assert address is not None
    apply(reviewer, "hide", "1", pairing="drop", revision="1", count="4")
    answer = text(reviewer.post(unescape(address[1]), {"undo": "1"}, follow=True))
    assert "You have changed the view since, so nothing was undone." in answer
    assert shown(answer) == [0, 2, 3]


def pressed(client: Client, page: str, what: str) -> str:
    """Presses the button that undoes or redoes on a page; returns the page that follows."""
    found = re.search(rf'action="([^"]+)"[^>]*>(?:(?!</form>).)*name="undo" value="{what}"', page)
    assert found is not None
    return text(client.post(unescape(found[1]), {"undo": what}, follow=True))


def test_an_undo_does_not_wait_for_what_others_pinned_meanwhile(reviewer: Client) -> None:
    booking()
    apply(reviewer, "hide", "4", pairing="drop")
    page = text(reviewer.get("/conversations/t/"))
    pins.pin(engine(), "t", "1", pinned=True)
    assert shown(pressed(reviewer, page, "1")) == [0, 1, 2, 3, 4]
    assert len(pins_of(find_head(engine().workspace, "t"))) == 1


def test_redo_does_again_all_that_was_undone_one_after_the_other(reviewer: Client) -> None:
    booking()
    apply(reviewer, "hide", "4", pairing="drop")
    apply(reviewer, "hide", "1", pairing="drop", revision="1", count="4")
    page = text(reviewer.get("/conversations/t/"))
    for left in ([0, 1, 2, 3], [0, 1, 2, 3, 4]):
        page = pressed(reviewer, page, "1")
        assert shown(page) == left
    for left in ([0, 1, 2, 3], [0, 2, 3]):
        page = pressed(reviewer, page, "redo")
        assert shown(page) == left
    assert 'value="redo"' not in page
    page = pressed(reviewer, pressed(reviewer, page, "1"), "1")
    append(engine(), "t", drafts(user("More")))
    assert 'value="redo"' not in text(reviewer.get("/conversations/t/"))


@pytest.mark.parametrize("order", [("hide", "pin"), ("pin", "hide")])
def test_redo_does_again_pins_and_other_changes_in_their_order(
    reviewer: Client, order: Sequence[str]
) -> None:
    booking()
    for do in order:
        now = find_head(engine().workspace, "t")
        seen = {"revision": str(now.current_revision), "count": str(now.visible_count)}
        if do == "hide":
            apply(reviewer, "hide", "4", pairing="drop", **seen)
        else:
            reviewer.post("/conversations/t/messages/1/pin/?do=pin", {})

    def stand(page: str) -> tuple[list[int], bool]:
        return shown(page), len(pins_of(find_head(engine().workspace, "t"))) > 0

    page = text(reviewer.get("/conversations/t/"))
    stands = [stand(page)]
    for _ in order:
        page = pressed(reviewer, page, "1")
        stands.append(stand(page))
    assert stands[-1] == ([0, 1, 2, 3, 4], False)
    for before in (stands[1], stands[0]):
        page = pressed(reviewer, page, "redo")
        assert stand(page) == before
    assert 'value="redo"' not in page


def test_a_new_change_leaves_nothing_of_before_to_redo(reviewer: Client) -> None:
    booking()
    reviewer.post("/conversations/t/messages/1/pin/?do=pin", {})
    pressed(reviewer, text(reviewer.get("/conversations/t/")), "1")
    now = find_head(engine().workspace, "t")
    seen = {"revision": str(now.current_revision), "count": str(now.visible_count)}
    apply(reviewer, "hide", "4", pairing="drop", **seen)
    page = pressed(reviewer, text(reviewer.get("/conversations/t/")), "1")
    assert 'value="redo"' not in pressed(reviewer, page, "redo")


def test_an_undo_beyond_a_pin_is_named_by_what_it_undid(reviewer: Client) -> None:
    booking()
    apply(reviewer, "hide", "4", pairing="drop")
    for pinned in (True, False):
        pins.pin(engine(), "t", "1", pinned=pinned)
    page = pressed(reviewer, text(reviewer.get("/conversations/t/")), "1")
    pressed(reviewer, page, "redo")
    changes = text(reviewer.get("/conversations/t/messages/4/"))
    assert "Undone: Hid #4" in changes
    assert "Redone: Hid #4" in changes


def test_the_whole_log_undoes_and_stays(reviewer: Client) -> None:
    booking()
    apply(reviewer, "hide", "4", pairing="drop")
    page = text(reviewer.get("/conversations/t/?view=all"))
    assert "data-keys-elsewhere" in page
    address = re.search(
        r'<form method="post" action="([^"]+)"[^>]*>(?:(?!</form>).)*name="undo" value="1"', page
    )
    assert address is not None
    answer = reviewer.post(unescape(address[1]), {"undo": "1"})
    assert answer["Location"] == "/conversations/t/?view=all&near=4#m4"
    assert shown(text(reviewer.get("/conversations/t/"))) == [0, 1, 2, 3, 4]


def test_what_another_changed_or_appended_to_is_not_undone_by_a_key(reviewer: Client) -> None:
    booking()
    apply(reviewer, "hide", "4", pairing="drop")
    assert 'name="undo" value="1"' not in text(signed_in(Role.ADMIN).get("/conversations/t/"))
    append(engine(), "t", drafts(user("More")))
    assert 'name="undo" value="1"' not in text(reviewer.get("/conversations/t/"))


def batches(page: str) -> list[str]:
    return re.findall(r'<li id="r(\d+)"', page)


def test_pins_of_others_between_ones_own_change_nothing_of_what_is_undone(
    reviewer: Client,
) -> None:
    booking()

    def pinned() -> list[int]:
        return [pin.index for pin in pins_of(find_head(engine().workspace, "t"))]

    reviewer.post("/conversations/t/messages/3/pin/?do=pin", {}, follow=True)
    reviewer.post("/conversations/t/messages/2/pin/?do=pin", {}, follow=True)
    pins.pin(engine(), "t", "1", pinned=True)
    for left in ([1, 3], [1]):
        page = pressed(reviewer, text(reviewer.get("/conversations/t/")), "1")
        assert pinned() == left
    assert 'name="undo" value="1"' not in page
    for left in ([1, 3], [1, 2, 3]):
        page = pressed(reviewer, page, "redo")
        assert pinned() == left


State = tuple[list[int], list[int]]


def state(page: str) -> State:
    """The messages that are shown, and those that are pinned."""
    return shown(page), [pin.index for pin in pins_of(find_head(engine().workspace, "t"))]


def do_by_hand(client: Client, choose: random.Random, now: State) -> None:
    """Hides, pins or unpins a message by chance, whatever is possible."""
    visible, pinned = now
    free = [index for index in visible[1:] if index not in pinned]
    if len(free) > 1 and choose.random() < 0.3:
        head = find_head(engine().workspace, "t")
        seen = {"revision": str(head.current_revision), "count": str(head.visible_count)}
        place = visible.index(choose.choice(free))
        apply(client, "hide", str(place), pairing="drop", **seen)
        return
    index = choose.randrange(5)
    do = "unpin" if index in pinned else "pin"
    client.post(f"/conversations/t/messages/{index}/pin/?do={do}", {}, follow=True)


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_done_by_hand_comes_back_step_by_step(reviewer: Client, seed: int) -> None:
    booking()
    choose = random.Random(seed)
    page = text(reviewer.get("/conversations/t/"))
    past: list[State] = [state(page)]
    future: list[State] = []
    for _ in range(14):
        if len(past) > 1 and choose.random() < 0.4:
            page = pressed(reviewer, page, "1")
            future.append(past.pop())
        elif future and choose.random() < 0.6:
            page = pressed(reviewer, page, "redo")
            past.append(future.pop())
        else:
            do_by_hand(reviewer, choose, past[-1])
            past.append(state(text(reviewer.get("/conversations/t/"))))
            future.clear()
        page = text(reviewer.get("/conversations/t/"))
        assert state(page) == past[-1]
        assert ('name="undo" value="1"' in page) == (len(past) > 1)
        assert ('value="redo"' in page) == bool(future)


def test_what_someone_else_unpinned_is_not_ones_own_to_undo(reviewer: Client) -> None:
    booking()
    reviewer.post("/conversations/t/messages/2/pin/?do=pin", {}, follow=True)
    pins.pin(engine(), "t", "2", pinned=False)
    assert 'name="undo" value="1"' not in text(reviewer.get("/conversations/t/"))


def test_redo_is_there_after_a_reload_and_after_pins_of_others(reviewer: Client) -> None:
    booking()
    apply(reviewer, "hide", "4", pairing="drop")
    pressed(reviewer, text(reviewer.get("/conversations/t/")), "1")
    pins.pin(engine(), "t", "1", pinned=True)
    page = text(reviewer.get("/conversations/t/"))
    assert "There is nothing to redo." not in page
    assert shown(pressed(reviewer, page, "redo")) == [0, 1, 2, 3]
    assert "There is nothing to redo." in text(reviewer.get("/conversations/t/"))
    assert len(pins_of(find_head(engine().workspace, "t"))) == 1


def test_a_pin_that_is_redone_keeps_its_reason_and_leaves_no_lines(reviewer: Client) -> None:
    booking()
    reviewer.post("/conversations/t/messages/1/pin/?do=pin", {"reason": "Who they are"})
    apply(reviewer, "hide", "4", pairing="drop", revision="1", count="5")
    page = text(reviewer.get("/conversations/t/"))
    before = batches(page)
    for what in ("1", "1", "redo"):
        page = pressed(reviewer, page, what)
    assert [pin.reason for pin in pins_of(find_head(engine().workspace, "t"))] == ["Who they are"]
    assert batches(pressed(reviewer, page, "redo")) == before
