"""The versions of an execution: the timeline, comparing, going back, forking."""

import re
from html import unescape

import pytest
from django.test import Client
from pydantic import JsonValue

from checkpoints.models import Checkpoint
from tests.factories import user
from tests.integration.checkpoints.flows import ok
from tests.integration.pages.execution_scenes import page, paused, running, text, url

pytestmark = pytest.mark.django_db


def test_the_messages_of_a_version_are_those_of_then(reviewer: Client) -> None:
    run = running()
    run.complete("a")
    run.append(user("much later"))
    link = re.search(r'href="(/conversations/[^"]+count=2)"', page(reviewer, run, "timeline/"))
    assert link is not None
    shown = text(reviewer.get(unescape(link[1])))
    assert "where is my parcel?" in shown
    assert "much later" not in shown


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


def test_a_version_leads_to_the_words_in_one_key(reviewer: Client) -> None:
    run = running()
    rows: JsonValue = [{"n": n} for n in range(300)]
    run.save("one", state_data={"found": [rows, "the Quince <b>"], "found_too": "quince"})
    html = page(reviewer, run, "versions/1/?q=found&words=quince")
    assert html.count('data-words="quince"') == 1
    assert "Quince" not in html
    passage = re.search(r'data-passage="([^"]+)"', html)
    assert passage is not None
    found = text(reviewer.get(f"{unescape(passage[1])}&around=quince"))
    assert "the <mark>Quince</mark> &lt;b&gt;" in found
    assert "<mark>" not in text(reviewer.get(f"{unescape(passage[1])}&around=medlar"))
    assert "data-passage" not in page(reviewer, run, "versions/1/?q=found")


def test_two_versions_are_compared_with_the_words_marked(reviewer: Client) -> None:
    run = running()
    run.save("one", state_data={"topic": "the parcel is late", "n": 1, "old": True})
    run.append(user("and the saddle?"))
    state = {"topic": "the parcel is lost", "n": "one", "old": {"$delete": True}, "new": [1]}
    run.save("two", state_data=state)
    html = page(reviewer, run, "diff/?from=1&to=2")
    assert "<del>late</del>" in html
    assert "<ins>lost</ins>" in html
    assert "type changed from a number to a text" in html
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
    assert f"{count} → {count} · 1 is shown again · 1 is hidden" in question


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


def test_why_a_fork_waits_is_said_in_the_language_of_the_reader(reviewer: Client) -> None:
    run = paused()
    ok(run.post("checkpoints/1/fork", {"id": "a-fork"}))
    for path in ("/", "/executions/", "/reviews/", "/executions/a-fork/"):
        assert f"forked from {run.head.public_id} at version 1" in text(reviewer.get(path)), path
    reviewer.cookies["language"] = "zh-hans"
    for path in ("/", "/executions/", "/reviews/", "/executions/a-fork/"):
        html = text(reviewer.get(path))
        assert "forked from" not in html, path
        assert f"分叉自 {run.head.public_id} 的版本 1" in html, path


def test_a_fork_with_a_taken_id_is_reported_at_the_field(reviewer: Client) -> None:
    run = paused()
    sent = {"id": run.head.public_id, "title": ""}
    answer = reviewer.post(url(run, "versions/1/fork/"), sent)
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in text(answer)
    assert reviewer.post(url(run, "versions/1/fork/"), {"id": "a b"}).status_code == 422


def test_an_admin_deletes_a_version_which_the_timeline_then_says(admin: Client) -> None:
    run = running()
    for name in ("one", "two", "three"):
        run.save(name, state_data={"topic": name})
    assert url(run, "versions/2/delete/") in page(admin, run, "versions/2/")
    assert "removed for good" in page(admin, run, "versions/2/delete/")
    answer = admin.post(url(run, "versions/2/delete/"))
    assert (answer.status_code, answer["Location"]) == (302, url(run, "timeline/"))
    html = page(admin, run, "timeline/")
    assert "Deleted version 2." in html
    assert "version 2, deleted" in html
    assert url(run, "versions/2/") not in html
    gone = admin.get(url(run, "versions/2/"))
    assert gone.status_code == 404
    assert "Version 2 was deleted at" in text(gone)
    html = page(admin, run, "versions/3/")
    assert url(run, "versions/1/") in html
    assert "diff/?from=1&amp;to=3" in html
    instead = (
        "Version 2 was deleted, or retention removed its state. Version 1 is compared instead."
    )
    assert instead in page(admin, run, "diff/?from=2&to=3")
    assert "is compared instead" not in page(admin, run, "diff/?from=1&to=3")


def test_many_keys_that_differ_are_folded(reviewer: Client) -> None:
    run = running()
    run.save("one", state_data={f"key_{n:03}": n for n in range(305)})
    html = page(reviewer, run, "diff/?from=0&to=1")
    before, fold, after = html.partition('<details class="diff-more">')
    assert fold
    assert "key_000" in before
    assert "key_304" in after
    assert 0 < before.count("change-leaf") < 100


def test_a_version_that_is_needed_is_not_deleted_and_the_page_says_why(admin: Client) -> None:
    run = paused()
    assert "versions/1/delete/" not in page(admin, run, "versions/1/")
    answer = admin.post(url(run, "versions/1/delete/"))
    assert answer.status_code == 409
    assert "The latest version cannot be deleted." in text(answer)


def test_only_an_admin_is_offered_to_delete_a_version(reviewer: Client) -> None:
    run = running()
    run.save("one")
    run.save("two")
    assert "/delete/" not in page(reviewer, run, "versions/1/")
    assert reviewer.post(url(run, "versions/1/delete/")).status_code == 403
    assert Checkpoint.objects.filter(deleted=True).count() == 0
