"""The pages of executions as people with different roles use them."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from pydantic import JsonValue

from checkpoints.models import Checkpoint
from ctxadmin.accounts.roles import Role
from tests.factories import Api, conversation, signed_in, user
from tests.integration.checkpoints.flows import Run
from tests.integration.pages.execution_scenes import (
    failed,
    hidden,
    page,
    paused,
    running,
    text,
    url,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def reviewer() -> Client:
    return signed_in(Role.REVIEWER)


def move(client: Client, run: Run, name: str, **fields: str) -> Any:
    return client.post(url(run, "move/"), {"move": name, **fields})


def status(run: Run) -> str:
    return str(run.snapshot()["status"])


def test_who_is_not_signed_in_is_asked_to() -> None:
    run = running()
    answer = Client().get(url(run))
    assert answer.status_code == 302
    assert answer["Location"] == f"/sign-in/?next={url(run)}"


def test_the_list_shows_the_current_executions_with_their_reasons(reviewer: Client) -> None:
    run = paused()
    html = text(reviewer.get("/executions/"))
    assert url(run) in html
    assert "look at this" in html
    assert "letter" in html


def test_the_list_is_filtered_by_status_and_workflow(reviewer: Client) -> None:
    waits, runs = paused(), running()
    only_paused = text(reviewer.get("/executions/?status=PAUSED"))
    assert url(waits) in only_paused
    assert url(runs) not in only_paused
    assert url(waits) in text(reviewer.get("/executions/?workflow=letter"))
    assert "Nothing matches" in text(reviewer.get("/executions/?workflow=other"))
    assert reviewer.get("/executions/?workflow=中文").status_code == 200
    nonsense = reviewer.get("/executions/?status=IDLE")
    assert nonsense.status_code == 422
    assert "known: PENDING, RUNNING, PAUSED" in text(nonsense)
    lost = text(reviewer.get("/executions/nope/"))
    assert 'href="/executions/">To the executions' in lost


def test_the_list_goes_on_where_the_page_before_ended(reviewer: Client) -> None:
    runs = [running() for _ in range(3)]
    first = text(reviewer.get("/executions/?limit=2"))
    cursor = first.split("cursor=")[1].split('"')[0]
    second = text(reviewer.get(f"/executions/?limit=2&cursor={cursor}"))
    shown = [url(run) in first for run in runs], [url(run) in second for run in runs]
    assert shown == ([False, True, True], [True, False, False])
    assert reviewer.get("/executions/?cursor=x").status_code == 422


def test_only_the_newest_execution_of_a_conversation_is_listed(reviewer: Client) -> None:
    run = running()
    run.post("cancel")
    run.post("executions", {})
    html = text(reviewer.get("/executions/"))
    assert html.count(f'href="{url(run)}"') == 1
    assert "Nothing matches" in text(reviewer.get("/executions/?status=CANCELLED"))


def test_the_list_costs_as_many_queries_for_many_as_for_few(
    reviewer: Client, django_assert_max_num_queries: Any
) -> None:
    for _ in range(12):
        running()
    with django_assert_max_num_queries(7):
        reviewer.get("/executions/")


def test_an_ended_execution_is_not_called_running(reviewer: Client) -> None:
    run = paused()
    assert run.post("cancel").status_code == 200
    html = page(reviewer, run)
    assert "Cancelled" in html
    assert 'id="decide-head"' not in html


def test_the_messages_of_a_version_are_those_of_then(reviewer: Client) -> None:
    run = running()
    run.complete("a")
    run.append(user("much later"))
    link = re.search(r'href="(/conversations/[^"]+count=2)"', page(reviewer, run, "timeline/"))
    assert link is not None
    shown = text(reviewer.get(unescape(link[1])))
    assert "where is my parcel?" in shown
    assert "much later" not in shown


def test_a_paused_execution_says_where_it_waits_and_why(reviewer: Client) -> None:
    html = page(reviewer, paused())
    assert "Waits for review" in html
    assert "look at this" in html
    assert "Dear customer" in html
    assert "where is my parcel?" in html
    assert 'aria-current="step"' in html


def written_last(html: str) -> str:
    """The part of the decision that shows what there is to decide on; empty if there is none."""
    return html.partition('class="decide-written"')[2].partition("</section>")[0]


def test_what_is_decided_on_stands_beside_the_buttons(reviewer: Client) -> None:
    run = running()
    run.save("old", state_data={f"a{number}": "long ago" for number in range(60)})
    run.save("new", state_data={"z-draft": "Dear customer", "z-file": "x" * 99_999})
    assert not written_last(page(reviewer, run)), "it runs, there is nothing to decide"
    run.save("pause", state_data={"z-draft": "Dear <b>", "z-file": "y" * 99_999}, status="PAUSED")
    shown = written_last(page(reviewer, run))
    assert "Dear &lt;b&gt;" in shown
    assert "97.7" in shown, "a large value is named with its size"
    assert "long ago" not in shown
    assert f'href="{url(run, "state/")}?q=z-draft"' in shown
    form = page(reviewer, run, "state/?q=z-draft")
    assert "a11" not in form
    assert f'href="{url(run, "state/")}">All keys' in form
    seen = written_last(page(signed_in(Role.VIEWER), run))
    assert "Dear &lt;b&gt;" in seen
    assert "/state/" not in seen


def test_a_conversation_without_an_execution_says_how_one_starts(reviewer: Client) -> None:
    conversation(user("hello"), public_id="idle")
    assert "No execution yet" in text(reviewer.get("/executions/idle/"))
    assert reviewer.get("/executions/idle/timeline/").status_code == 200
    assert reviewer.get("/executions/idle/diff/").status_code == 404
    assert reviewer.get("/executions/idle/state/").status_code == 409


def test_the_page_costs_as_many_queries_for_a_long_history_as_for_a_short_one(
    reviewer: Client, django_assert_max_num_queries: Any
) -> None:
    run = running()
    for number in range(25):
        run.save(f"c{number}", state_data={f"key-{number}": number})
    with django_assert_max_num_queries(24):
        reviewer.get(url(run))


@pytest.mark.parametrize(
    ("path", "most"),
    [("timeline/", 12), ("versions/20/", 23), ("diff/?from=2&to=25", 22), ("state/", 12)],
)
def test_every_page_costs_as_many_queries_for_many_keys_as_for_few(
    reviewer: Client, django_assert_max_num_queries: Any, path: str, most: int
) -> None:
    run = running()
    for number in range(24):
        run.save(f"c{number}", state_data={f"key-{number}": number})
    run.save("last", status="PAUSED")
    with django_assert_max_num_queries(most):
        assert reviewer.get(url(run, path)).status_code == 200


def test_a_page_without_a_socket_asks_for_a_running_execution_until_it_stops(
    reviewer: Client,
) -> None:
    run = running()
    html = page(reviewer, run)
    poll = html.split('data-poll="')[1].split('"')[0]
    assert reviewer.get(poll).status_code == 204
    run.save("one", state_data={"news": "it moved"})
    moved = text(reviewer.get(poll))
    assert "it moved" in moved
    assert 'id="page-content"' in moved
    run.pause_now()
    stopped = text(reviewer.get(poll))
    assert "Approve" in stopped
    assert "data-poll" not in stopped


def test_an_approval_lets_it_go_on_and_is_on_record(reviewer: Client) -> None:
    run = paused()
    answer = move(reviewer, run, "approve", reason="well said", expected_version="1")
    assert answer.status_code == 302
    assert status(run) == "RUNNING"
    html = page(reviewer, run, "timeline/")
    assert "Approved" in html
    assert "well said" in html
    assert "person:reviewer-default" in html


def test_a_rejection_needs_a_reason(reviewer: Client) -> None:
    run = paused()
    answer = move(reviewer, run, "reject", reason="  ", expected_version="1")
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in text(answer)
    assert status(run) == "PAUSED"
    assert re.search(r'id="move-reason"[^>]* aria-invalid="true"[^>]* autofocus', text(answer))
    assert reviewer.get(url(run, "move/"))["Location"] == url(run)
    assert move(reviewer, run, "reject", reason="too long").status_code == 302
    assert status(run) == "FAILED"
    assert "too long" in page(reviewer, run)


def test_what_was_decided_on_an_old_version_is_told_with_the_reason_kept(
    reviewer: Client,
) -> None:
    run = paused()
    run.update("review", state_data={"count": 4})
    answer = move(reviewer, run, "approve", reason="well said", expected_version="1")
    assert answer.status_code == 409
    assert "is at version 2, not 1" in text(answer)
    assert "well said" in text(answer)
    assert status(run) == "PAUSED"


def test_a_pause_is_asked_for_and_comes_with_the_next_checkpoint(reviewer: Client) -> None:
    run = running()
    assert move(reviewer, run, "pause", reason="wait").status_code == 302
    assert "Pause is asked for" in page(reviewer, run)
    run.save("one")
    assert status(run) == "PAUSED"
    assert "wait" in page(reviewer, run)


def test_a_paused_execution_resumes_also_from_another_node(reviewer: Client) -> None:
    run = paused()
    refused = move(reviewer, run, "resume_from", expected_version="1")
    assert refused.status_code == 422
    unknown = move(reviewer, run, "resume_from", from_node="nowhere", reason="keep me")
    assert unknown.status_code == 422
    assert "keep me" in text(unknown)
    done = move(reviewer, run, "resume_from", from_node="write", expected_version="1")
    assert done.status_code == 302
    assert run.snapshot()["ready_nodes"] == ["write"]


def test_the_choice_of_another_node_has_no_say_in_an_approval(reviewer: Client) -> None:
    run = paused()
    assert move(reviewer, run, "approve", from_node="write").status_code == 302
    assert run.snapshot()["ready_nodes"] == ["review"]


def test_a_failed_execution_is_tried_again(reviewer: Client) -> None:
    run = failed()
    html = page(reviewer, run)
    assert "the tool broke" in html
    assert "Try again" in html
    assert move(reviewer, run, "resume", expected_version="1").status_code == 302
    assert status(run) == "RUNNING"


def test_an_approval_is_for_the_execution_that_was_seen(reviewer: Client) -> None:
    run = paused()
    seen = page(reviewer, run)
    run.post("cancel")
    run.post("executions", {"workflow": "letter"})
    run.complete("write", "again")
    sent = {"execution": hidden(seen, "execution"), "expected_version": "1"}
    assert move(reviewer, run, "approve", **sent).status_code == 409
    assert status(run) == "PAUSED"


def test_a_cancellation_is_asked_for_first(reviewer: Client) -> None:
    run = paused()
    question = page(reviewer, run, "cancel/")
    assert "for good" in question
    assert 'name="expected_version" value="1"' in question
    assert reviewer.post(url(run, "cancel/"), {"expected_version": "0"}).status_code == 409
    assert reviewer.post(url(run, "cancel/"), {"expected_version": "1"}).status_code == 302
    assert status(run) == "CANCELLED"
    assert reviewer.post(url(run, "cancel/"), {}).status_code == 409


@pytest.mark.parametrize("name", ["", "fly", "cancel"])
def test_an_unknown_button_does_nothing(reviewer: Client, name: str) -> None:
    run = paused()
    assert move(reviewer, run, name).status_code == 422
    assert status(run) == "PAUSED"


@pytest.mark.parametrize("version", ["x", "-1", "9" * 12])
def test_a_version_that_is_no_number_does_nothing(reviewer: Client, version: str) -> None:
    run = paused()
    assert move(reviewer, run, "approve", expected_version=version).status_code == 422
    assert status(run) == "PAUSED"


def test_an_overlong_reason_is_refused(reviewer: Client) -> None:
    run = paused()
    assert move(reviewer, run, "approve", reason="x" * 10_001).status_code == 422
    assert status(run) == "PAUSED"


@pytest.mark.parametrize("role", list(Role))
def test_the_page_offers_only_what_role_and_status_allow(role: Role) -> None:
    client, may = signed_in(role), role is not Role.VIEWER
    run = paused()
    html = page(client, run)
    buttons = {name: f'value="{name}"' in html for name in ("approve", "reject", "resume")}
    assert set(buttons.values()) == {may}
    assert ("/state/" in html) == may
    assert ("/cancel/" in html) == may
    assert 'value="pause"' not in html
    if not may:
        for name in ("approve", "reject", "resume", "pause"):
            assert move(client, run, name, reason="why").status_code == 403
        assert client.post(url(run, "cancel/")).status_code == 403
        for path in ("state/", "versions/0/restore/", "versions/0/fork/"):
            assert client.get(url(run, path)).status_code == 403
            assert client.post(url(run, path)).status_code == 403
        assert status(run) == "PAUSED"


@pytest.mark.parametrize(
    ("make", "offered"),
    [
        (running, {"pause"}),
        (failed, {"resume", "resume_from"}),
        (paused, {"approve", "reject", "resume", "resume_from"}),
    ],
)
def test_each_status_has_its_buttons(reviewer: Client, make: Any, offered: set[str]) -> None:
    run = make()
    html = page(reviewer, run)
    names = {"approve", "reject", "resume", "resume_from", "pause"}
    assert {name for name in names if f'name="move" value="{name}"' in html} == offered
    for name in names - offered:
        before = run.snapshot()
        assert move(reviewer, run, name, reason="why", from_node="a").status_code == 409
        assert run.snapshot() == before


def test_what_has_ended_has_no_buttons(reviewer: Client) -> None:
    run = running()
    run.save("one", status="COMPLETED")
    html = page(reviewer, run)
    assert 'name="move"' not in html
    assert "/cancel/" not in html
    assert "/fork/" in page(reviewer, run, "versions/1/")
    assert "/restore/" not in page(reviewer, run, "versions/0/")


def test_the_timeline_tells_what_each_version_changed(reviewer: Client) -> None:
    run = running()
    run.save("one", state_data={"topic": "parcel"})
    run.update("a", state_data={})
    html = page(reviewer, run, "timeline/")
    assert "topic" in html
    assert url(run, "versions/1/") in html
    assert f"/conversations/{run.head.public_id}/?view=0" in html


def test_a_version_shows_the_state_as_it_was(reviewer: Client) -> None:
    run = running()
    run.save("one", state_data={"topic": "parcel"})
    run.save("two", "b", state_data={"topic": "saddle"})
    html = page(reviewer, run, "versions/1/")
    assert "parcel" in html
    assert "saddle" not in html
    assert "saddle" in page(reviewer, run, "versions/2/")
    assert reviewer.get(url(run, "versions/3/")).status_code == 404


def test_two_versions_are_compared_with_the_words_marked(reviewer: Client) -> None:
    run = running()
    run.save("one", state_data={"topic": "the parcel is late", "n": 1, "old": True})
    run.append(user("and the saddle?"))
    state = {"topic": "the parcel is lost", "n": "one", "old": {"$delete": True}, "new": [1]}
    run.save("two", state_data=state)
    html = page(reviewer, run, "diff/?from=1&to=2")
    assert "<del>late</del>" in html
    assert "<ins>lost</ins>" in html
    assert "type changed: a number, now a text" in html
    assert "another type" in html
    keys = re.findall(r'class="change-key" translate="no">([^<]*)<', html)
    assert sorted(keys) == ["n", "new", "old", "topic"]
    assert "and the saddle?" in html
    assert "The state is the same" in page(reviewer, run, "diff/?from=1&to=1")
    assert reviewer.get(url(run, "diff/?from=0&to=9")).status_code == 404
    assert reviewer.get(url(run, "diff/?from=x")).status_code == 422


def test_messages_of_two_versions_are_compared_in_their_places(reviewer: Client) -> None:
    run = running()
    run.append(user("a"), user("b"), user("c"), user("d"))
    run.save("one")
    replaced = {"index": 0, "message": user("hello Anna")}
    for config in (
        {"operation": "replace", "replace": replaced},
        {"operation": "truncate", "truncate": {"remove_ranges": [{"start": 2, "end": 3}]}},
    ):
        assert run.post("operations", config).status_code < 300
    run.append(user("and the saddle?"))
    run.save("two")
    html = page(reviewer, run, "diff/?from=1&to=2").split('id="messages-title"')[1]
    items = re.findall(r'<li class="change change-(\w+)">(.*?)</li>', html, re.DOTALL)
    said = [(kind, re.sub(r"<[^>]*>|\s+", " ", text).split()) for kind, text in items]
    changed = {kind: words for kind, words in said if kind != "same"}
    assert set(changed) == {"edited", "hidden", "added"}
    assert "Anna" in changed["edited"]
    assert "a" in changed["hidden"]
    assert "saddle?" in changed["added"]
    assert "<ins>" in dict(items)["edited"]
    kinds = [kind for kind, _words in said if kind != "same"]
    assert kinds == ["edited", "hidden", "added"]


def test_a_restore_tells_which_messages_come_and_go_though_they_are_as_many(
    reviewer: Client,
) -> None:
    run = paused()
    count = len(run.snapshot()["state_data"]["messages"])
    anew: dict[str, JsonValue] = {
        "operation": "replace",
        "replace": {"index": 0, "message": {"role": "user", "content": "anew"}},
    }
    run.update("review", operations=[anew])
    question = page(reviewer, run, "versions/1/restore/")
    assert f"{count} → {count} · 1 comes back · 1 gets hidden" in question


def test_a_restore_is_asked_for_with_what_it_changes(reviewer: Client) -> None:
    run = paused()
    run.update("review", state_data={"draft": "Go away", "extra": 1})
    question = page(reviewer, run, "versions/1/restore/")
    assert "draft" in question
    assert "extra" in question
    stale = reviewer.post(url(run, "versions/1/restore/"), {"expected_version": "1"})
    assert stale.status_code == 409
    sent = {"expected_version": "2", "reason": "kinder"}
    assert reviewer.post(url(run, "versions/1/restore/"), sent).status_code == 302
    assert run.state()["draft"] == "Dear customer"
    html = page(reviewer, run, "timeline/")
    assert "Restored" in html
    assert "kinder" in html


def test_what_runs_cannot_go_back(reviewer: Client) -> None:
    run = running()
    run.save("one")
    assert reviewer.get(url(run, "versions/0/restore/")).status_code == 409
    assert reviewer.post(url(run, "versions/0/restore/")).status_code == 409
    assert Checkpoint.objects.count() == 2


def test_a_fork_is_another_conversation_and_both_say_so(reviewer: Client) -> None:
    run = paused()
    assert 'value="Fork of' in page(reviewer, run, "versions/1/fork/")
    sent = {"id": "a-fork", "title": "Another way"}
    answer = reviewer.post(url(run, "versions/1/fork/"), sent)
    assert answer.status_code == 302
    assert answer["Location"] == "/executions/a-fork/"
    fork = text(reviewer.get("/executions/a-fork/"))
    assert "Another way" in fork
    assert "forked from" in fork
    assert "/executions/a-fork/" in page(reviewer, run)


def test_a_fork_with_a_taken_id_is_told_at_the_field(reviewer: Client) -> None:
    run = paused()
    sent = {"id": run.head.public_id, "title": ""}
    answer = reviewer.post(url(run, "versions/1/fork/"), sent)
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in text(answer)
    assert reviewer.post(url(run, "versions/1/fork/"), {"id": "a b"}).status_code == 422


def test_hostile_texts_stay_texts(reviewer: Client) -> None:
    evil = "<script>alert(1)</script>"
    run = running(state={evil: {evil: [evil]}, "text": evil})
    run.append(user(evil))
    run.save("one", evil, state_data={"more": evil}, status="PAUSED")
    run.post("approve", {"reason": evil})
    move(reviewer, run, "pause", reason=evil)
    for path in ("", "timeline/", "versions/1/", "diff/?from=0&to=1"):
        assert evil not in page(reviewer, run, path)
    run.save("two", evil, status="PAUSED")
    assert evil not in page(reviewer, run, "state/")
    for path in ("/", "/executions/"):
        assert evil not in text(reviewer.get(path))


def test_large_values_are_named_and_not_shown(reviewer: Client) -> None:
    run = running()
    big = {f"big{number}": "x" * 100_000 for number in range(3)}
    run.save("one", state_data=big | {"small": "here"}, status="PAUSED")
    html = page(reviewer, run)
    assert len(html) < 200_000
    assert "Too large to be shown here" in html
    assert "here" in html
    assert "big0" in page(reviewer, run, "state/")


def test_a_foreign_execution_is_not_found() -> None:
    run = paused()
    stranger = signed_in(Role.ADMIN, "elsewhere")
    paths = ("", "live/", "timeline/", "diff/", "state/", "cancel/", "versions/0/")
    for path in (*paths, "versions/0/restore/", "versions/0/fork/"):
        assert stranger.get(url(run, path)).status_code == 404
    for path in ("move/", "cancel/", "state/", "versions/0/restore/", "versions/0/fork/"):
        assert stranger.post(url(run, path), {"move": "approve"}).status_code == 404
    assert url(run) not in text(stranger.get("/executions/"))
    assert status(run) == "PAUSED"


def test_engines_and_people_see_the_same_version(reviewer: Client) -> None:
    run = paused()
    assert f"version {run.snapshot()['version']}" in page(reviewer, run)
    assert Api().get(f"{run.path}/snapshot").json()["version"] == 1
