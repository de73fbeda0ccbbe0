"""Bulk actions on pages: from the list to the dry run, the work, and the result of each item."""

import re
from typing import Any

import pytest
from django.test import Client

from bulk import jobs, store
from bulk.item_changes import change_item
from bulk.models import BulkItem, BulkJob
from bulk.runner import RUNNER, actor_of
from conversations.domain.imports.uploads import read_upload
from conversations.domain.transfer import Transfer
from conversations.models import Conversation
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.bulk_actions import BulkAction
from ctxadmin.identity.roles import Role
from ctxadmin.lib import clock
from ctxadmin.lib.errors import ValidationFailed
from tests.factories import browser, conversation, signed_in, user
from tests.integration.pages.execution_scenes import paused, running, text

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def admin() -> Client:
    return signed_in(Role.ADMIN)


def talks(*names: str) -> None:
    for name in names:
        conversation(user("hi"), public_id=name, title=f"Talk {name}")


def selected(client: Client, action: str, *names: str, **fields: str) -> str:
    """The address of the dry run."""
    sent: dict[str, Any] = {"action": action, "scope": "selected", "id": list(names), **fields}
    answer = client.post("/bulk/select/", sent)
    assert answer.status_code == 302, text(answer)
    return str(answer["Location"])


def test_the_list_offers_what_the_reader_has_the_right_to(admin: Client, reviewer: Client) -> None:
    talks("one", "two")
    mine, theirs = (text(each.get("/conversations/")) for each in (admin, reviewer))
    assert '<option value="erase">' in mine
    assert '<option value="erase">' not in theirs
    assert "Continue with all 2 that match" in theirs
    assert re.search(r'type="checkbox" form="bulk" name="id" value="one"', theirs)
    viewer = text(signed_in(Role.VIEWER).get("/conversations/"))
    assert re.findall(r'<option value="(\w+)">(?:Archive|Export as a file)<', viewer) == ["export"]
    archived = text(reviewer.get("/conversations/?archived=true"))
    assert 'id="bulk"' not in archived  # an empty list has no bar


def test_a_viewer_sees_no_bar_in_the_list_of_executions() -> None:
    running()
    assert 'id="bulk"' not in text(signed_in(Role.VIEWER).get("/executions/"))


def test_a_label_is_asked_for_and_shown(reviewer: Client) -> None:
    run = paused()
    draft = selected(reviewer, "label", run.head.public_id)
    assert 'name="reason"' not in text(reviewer.get(draft))
    refused = reviewer.post(f"{draft}start/", {"label": " "})
    assert refused.status_code == 422
    assert "Enter a label of 1 to 80 characters." in text(refused)
    assert "Label 1 execution" in text(refused)
    assert reviewer.post(f"{draft}start/", {"label": "golden"}).status_code == 302
    RUNNER.run_next()
    assert "golden" in text(reviewer.get(draft))
    assert "golden" in text(reviewer.get(f"/executions/{run.head.public_id}/versions/1/"))


def test_the_dry_run_of_a_label_names_the_one_that_each_item_has(reviewer: Client) -> None:
    labeled, other = paused(), paused("other")
    first = selected(reviewer, "label", labeled.head.public_id)
    dry_run = text(reviewer.get(first))
    assert "Label now:" not in dry_run
    assert "A replaced label cannot be brought back." in dry_run
    reviewer.post(f"{first}start/", {"label": "golden"})
    RUNNER.run_next()
    both = selected(reviewer, "label", labeled.head.public_id, other.head.public_id)
    page = text(reviewer.get(both))
    assert re.findall(r'Label now: <span dir="auto" translate="no">(.+?)<', page) == ["golden"]
    assert "Label now:" not in text(reviewer.get(first))


def test_a_dry_run_says_what_is_meant_and_what_is_refused_then_it_is_done(
    reviewer: Client,
) -> None:
    run = paused()
    talks("one", "two")
    where = selected(reviewer, "archive", "one", "two", run.head.public_id)
    asked = text(reviewer.get(where))
    assert "2 of 3 selected conversations can be changed." in asked
    assert "1: An execution of this conversation has not ended yet." in asked
    assert "Archive 2 conversations" in asked
    assert not Conversation.objects.filter(archived=True).exists()
    assert reviewer.post(f"{where}start/", {"reason": "tidy"})["Location"] == where
    assert reviewer.post(f"{where}start/", {"reason": "again"})["Location"] == where
    assert "You can leave this page" in text(reviewer.get(where))
    assert RUNNER.run_next()
    after = text(reviewer.get(where))
    assert "2 conversations archived, 1 refused" in after
    assert "tidy" in after
    refused = text(reviewer.get(f"{where}?outcome=refused"))
    assert "An execution of this conversation has not ended yet." in refused
    assert "Talk one" not in refused
    assert "Archive conversations" in text(reviewer.get("/bulk/"))
    assert AuditEntry.objects.filter(action="conversation.archive").count() == 2


def test_a_pause_is_said_to_be_requested_as_long_as_the_execution_runs(reviewer: Client) -> None:
    run = running()
    where = selected(reviewer, "pause", run.head.public_id)
    assert "A requested pause cannot be withdrawn." in text(reviewer.get(where))
    reviewer.post(f"{where}start/")
    RUNNER.run_next()
    after = text(reviewer.get(where))
    assert "Pause requested for 1 execution" in after
    assert '<span class="badge tone-green">Pause requested</span>' in after
    again = text(reviewer.get(selected(reviewer, "pause", run.head.public_id)))
    assert "0 of 1 selected execution can be changed." in again
    assert "1: A pause has been requested already." in again


def test_all_that_match_are_those_of_the_filter(reviewer: Client) -> None:
    first, second = running(), paused()
    html = text(reviewer.get("/executions/?status=RUNNING"))
    assert "Continue with the 1 that matches" in html
    assert '<input type="hidden" name="status" value="RUNNING">' in html
    where = selected(reviewer, "cancel", scope="all", status="RUNNING")
    assert "1 of 1 selected execution can be changed." in text(reviewer.get(where))
    assert 'href="/executions/?status=RUNNING"' in text(reviewer.get(where))
    reviewer.post(f"{where}start/")
    RUNNER.run_next()
    status = dict(Conversation.objects.values_list("public_id", "status"))
    assert (status[first.head.public_id], status[second.head.public_id]) == ("CANCELLED", "PAUSED")


def test_a_number_that_grew_since_the_list_was_read_is_said(reviewer: Client) -> None:
    talks("one", "two")
    listed = text(reviewer.get("/conversations/"))
    assert '<input type="hidden" name="shown" value="2">' in listed
    same = selected(reviewer, "archive", scope="all", shown="2")
    assert "matched when you chose" not in text(reviewer.get(same))
    talks("three")
    assert "matched when you chose" not in text(reviewer.get(same))
    grown = selected(reviewer, "archive", scope="all", shown="2")
    page = text(reviewer.get(grown))
    assert "2 matched when you chose, 3 match now" in page
    assert "Archive 3 conversations" in page


def test_what_was_archived_can_be_unarchived_from_its_result(reviewer: Client) -> None:
    talks("one", "two", "three")
    where = selected(reviewer, "archive", "one", "two")
    reviewer.post(f"{where}start/")
    RUNNER.run_next()
    page = text(reviewer.get(where))
    assert 'href="/conversations/?archived=true"' in page
    assert reviewer.get(f"{where}undo/")["Location"] == where
    back = str(reviewer.post(f"{where}undo/")["Location"])
    assert "2 of 2 selected conversations can be changed" in text(reviewer.get(back))
    reviewer.post(f"{back}start/")
    RUNNER.run_next()
    assert not Conversation.objects.filter(archived=True).exists()
    assert "2 conversations unarchived" in text(reviewer.get(back))
    assert "Archive them…" in text(reviewer.get(back))


def test_an_erasure_asks_for_the_number_of_conversations(admin: Client) -> None:
    talks("one", "two", "three")
    where = selected(admin, "erase", "one", "two")
    assert "Number of conversations to erase" in text(admin.get(where))
    for typed in ("", "3", "two"):
        answer = admin.post(f"{where}start/", {"count": typed, "reason": "asked by them"})
        assert answer.status_code == 422
        assert "Type the number of conversations that will be erased." in text(answer)
        assert "asked by them" in text(answer)
    assert not RUNNER.run_next()
    assert admin.post(f"{where}start/", {"count": "2"}).status_code == 302
    RUNNER.run_next()
    assert list(Conversation.objects.values_list("public_id", flat=True)) == ["three"]
    assert "2 conversations erased" in text(admin.get(where))


def test_a_refused_operation_is_explained_in_words(
    reviewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    talks("one", "two")
    again = reviewer.post("/bulk/select/", {"action": "archive", "q": "t"}, follow=True)
    assert again.redirect_chain[0][0] == "/conversations/?q=t"
    assert "Nothing is selected." in text(again)
    sent = {"action": "archive", "sort": "size"}
    again = reviewer.post("/bulk/select/", sent, follow=True)
    assert again.redirect_chain[0][0] == "/conversations/?sort=size"
    assert "Nothing is selected." in text(reviewer.get("/bulk/select/"))
    assert reviewer.post("/bulk/select/", {"action": "dance", "id": "one"}).status_code == 422
    assert reviewer.post("/bulk/select/", {"action": "erase", "id": "one"}).status_code == 403
    nothing = selected(reviewer, "unarchive", "one")
    assert "There is nothing to do." in text(reviewer.get(nothing))
    where = selected(reviewer, "archive", "one")
    long = reviewer.post(f"{where}start/", {"reason": "x" * 2001})
    assert long.status_code == 422
    monkeypatch.setattr(jobs, "MOST_ITEMS", 1)
    sent = {"action": "archive", "scope": "all"}
    assert "More than 1 match" in text(reviewer.post("/bulk/select/", sent, follow=True))
    monkeypatch.setattr(jobs, "MOST_ACTIVE", 0)
    assert "are not done yet" in text(reviewer.post(f"{where}start/", follow=True))
    assert BulkJob.objects.get(public_id=where.split("/")[2]).status == "draft"


def test_a_running_job_is_cancelled_and_only_by_who_may_do_it(reviewer: Client) -> None:
    talks("one")
    where = selected(reviewer, "archive", "one")
    viewer = signed_in(Role.VIEWER)
    assert viewer.get(where).status_code == 404  # a draft is its author's
    reviewer.post(f"{where}start/")
    assert f"{where}cancel/" not in text(viewer.get(where))
    assert viewer.post(f"{where}cancel/").status_code == 403
    after = reviewer.post(f"{where}cancel/", follow=True)
    assert "What is done stays done." in text(after)
    assert "Cancelled" in text(after)
    assert not RUNNER.run_next()


def test_a_cancelled_job_is_followed_until_its_worker_has_stopped(reviewer: Client) -> None:
    talks("one", "two")
    where = selected(reviewer, "archive", "one", "two")
    reviewer.post(f"{where}start/")
    row = store.JOBS.take_next("worker", clock.now())
    assert row is not None
    actor = actor_of(row)
    assert actor is not None
    first, second = store.items_of(row)
    change_item(actor, BulkAction.ARCHIVE, first, "")
    stopping = text(reviewer.post(f"{where}cancel/", follow=True))
    assert "Stopping…" in stopping
    assert "Stopping…" in text(reviewer.get("/bulk/"))
    assert "1 conversation archived, 1 left" in stopping
    assert 'hx-trigger="load' in stopping
    assert f"{where}cancel/" not in stopping
    assert reviewer.post(f"{where}undo/")["Location"] == where
    change_item(actor, BulkAction.ARCHIVE, second, "")
    store.leave(row)
    after = text(reviewer.get(where))
    assert "2 conversations archived" in after
    assert "hx-trigger" not in after
    assert "Unarchive them…" in after


def test_what_a_cancelled_job_left_is_listed_and_can_be_continued_with(reviewer: Client) -> None:
    talks("one", "two", "three")
    where = selected(reviewer, "archive", "one", "two", "three")
    reviewer.post(f"{where}start/", {"reason": "tidy"})
    row = store.JOBS.take_next("worker", clock.now())
    assert row is not None
    actor = actor_of(row)
    assert actor is not None
    change_item(actor, BulkAction.ARCHIVE, store.items_of(row)[0], "tidy")
    reviewer.post(f"{where}cancel/")
    assert reviewer.post(f"{where}rest/")["Location"] == where
    store.leave(row)
    left = text(reviewer.get(f"{where}?outcome=waiting"))
    assert "Talk one" in left
    assert "Talk three" not in left
    assert reviewer.get(f"{where}rest/")["Location"] == where
    Conversation.objects.filter(public_id="one").update(change_seq=99)
    rest = str(reviewer.post(f"{where}rest/")["Location"])
    draft = text(reviewer.get(rest))
    assert "1 of 2 selected conversations can be changed." in draft
    assert "1: It has changed since it was selected." in draft
    assert re.search(r'name="reason"[^>]*\bvalue="tidy"', draft)
    reviewer.post(f"{rest}start/", {"reason": "tidy"})
    RUNNER.run_next()
    assert "1 conversation archived, 1 refused" in text(reviewer.get(rest))
    assert f"{rest}rest/" not in text(reviewer.get(rest))


def test_who_signs_in_again_is_told_that_a_download_was_not_started(reviewer: Client) -> None:
    talks("one")
    draft = selected(reviewer, "export", "one")
    assert "The download was not started." in text(reviewer.get(f"{draft}start/", follow=True))
    assert BulkJob.objects.get().status == "draft"


def sent_file(answer: Any) -> bytes:
    assert answer["Content-Type"] == "application/x-ndjson"
    return b"".join(answer.streaming_content)


def test_an_export_is_tried_then_one_line_each_in_the_format_that_can_be_imported(
    reviewer: Client,
) -> None:
    talks("one", "two")
    draft = reviewer.post("/bulk/select/", {"action": "export", "scope": "all"})["Location"]
    tried = text(reviewer.get(draft))
    assert "2 of 2 selected conversations can be exported." in tried
    assert "<dt>Messages</dt><dd>2</dd><dt>Size of all messages</dt>" in tried
    assert 'name="reason"' not in tried
    assert not AuditEntry.objects.filter(action="conversation.export").exists()
    file = sent_file(reviewer.post(f"{draft}start/"))
    assert len(file.splitlines()) == 2
    found = [each for each in read_upload(file) if isinstance(each, Transfer)]
    assert sorted(each.conversation_id for each in found) == ["one", "two"]
    with pytest.raises(ValidationFailed, match="Line 3"):
        read_upload(file + b'{"conversation_id": "x", "error": {}}')
    assert AuditEntry.objects.filter(action="conversation.export").count() == 2
    assert "2 conversations exported" in text(reviewer.get(draft))
    assert "Export conversations" in text(reviewer.get("/bulk/"))
    # Pressed again, it is not sent again.
    assert reviewer.post(f"{draft}start/")["Location"] == draft


def test_what_an_export_leaves_out_is_said_before_and_after(
    reviewer: Client, admin: Client
) -> None:
    talks("one", "two", "three")
    draft = selected(reviewer, "export", "one", "two", "three")
    admin.post("/conversations/two/erase/", {"confirm": "two", "id": "two"})
    Conversation.objects.filter(public_id="two").delete()
    assert "2 of 3 selected conversations can be exported." in text(reviewer.get(draft))
    assert "1: It was erased." in text(reviewer.get(draft))
    file = sent_file(reviewer.post(f"{draft}start/"))
    assert file.count(b'"error"') == 1
    page = text(reviewer.get(draft))
    assert "2 conversations exported" in page
    assert "1 refused" in page


def test_a_conversation_that_goes_on_is_exported_as_it_is_by_then(reviewer: Client) -> None:
    run = running()
    draft = selected(reviewer, "export", run.head.public_id)
    run.complete("answer")
    assert "1 of 1 selected conversation can be exported." in text(reviewer.get(draft))


def test_an_export_that_is_not_fetched_to_its_end_says_so(reviewer: Client) -> None:
    talks("one", "two", "three")
    draft = selected(reviewer, "export", "one", "two", "three")
    answer: Any = reviewer.post(f"{draft}start/")
    lines = iter(answer.streaming_content)
    assert b"conversation" in next(lines)
    assert BulkJob.objects.get().status == "running"
    answer._iterator.close()  # as a server does when the reader is gone
    assert BulkJob.objects.get().status == "failed"
    assert "The download of the file stopped before its end." in text(reviewer.get(draft))
    assert "1 conversation exported, 2 left" in " ".join(text(reviewer.get(draft)).split())
    assert not RUNNER.run_next()


def test_an_export_whose_server_died_is_not_started_again(reviewer: Client) -> None:
    talks("one")
    draft = selected(reviewer, "export", "one")
    answer: Any = reviewer.post(f"{draft}start/")
    BulkJob.objects.update(until=None)
    assert RUNNER.run_next()
    assert "The download of the file stopped before its end." in text(reviewer.get(draft))
    # Unless it only was slow.
    assert len(sent_file(answer).splitlines()) == 1
    assert BulkJob.objects.get().status == "done"


def test_a_cancelled_export_stops(reviewer: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bulk.exports.RENEW_SECONDS", 0)
    talks("one", "two")
    draft = selected(reviewer, "export", "one", "two")
    answer: Any = reviewer.post(f"{draft}start/")
    lines = iter(answer.streaming_content)
    next(lines)
    reviewer.post(f"{draft}cancel/")
    assert list(lines) == []
    row = BulkJob.objects.get()
    assert (row.status, row.done) == ("cancelled", 1)


def test_an_entry_of_the_audit_leads_to_its_bulk_action(admin: Client) -> None:
    talks("one", "two")
    draft = selected(admin, "export", "one", "two")
    sent_file(admin.post(f"{draft}start/"))
    entry = AuditEntry.objects.filter(action="conversation.export").first()
    assert entry is not None
    page = text(admin.get(f"/audit/{entry.stream}/{entry.seq}/"))
    assert f'<a href="{draft}">Bulk action: Export conversations</a>' in page
    other = AuditEntry.objects.exclude(action="conversation.export").first()
    assert other is not None
    assert "Bulk action:" not in text(admin.get(f"/audit/{other.stream}/{other.seq}/"))


def audit_rows(admin: Client, query: str = "") -> list[str]:
    page = text(admin.get(f"/audit/?action=conversation.archive{query}"))
    return page.partition("<tbody>")[2].partition("</tbody>")[0].split("<tr")[1:]


def test_the_entries_of_a_bulk_action_are_one_line_of_the_audit_that_opens(admin: Client) -> None:
    talks("one", "two", "three", "four")
    draft = selected(admin, "archive", "one", "two", "three")
    admin.post(f"{draft}start/", {"reason": "tidy"})
    RUNNER.run_next()
    admin.post("/conversations/four/archive/", {"confirm": "true"})
    alone, whole = audit_rows(admin)
    assert "Talk four" in alone
    assert f'<a href="{draft}">Bulk action: Archive conversations</a>' in whole
    assert "3 entries" in whole
    assert "tidy" in whole
    each = re.findall(r'href="/audit/\d+/\d+/">.*?href="/conversations/(\w+)/"', whole, re.DOTALL)
    assert sorted(each[-3:]) == ["one", "three", "two"]
    # Of one object there is one entry, which names it.
    (entry,) = audit_rows(admin, "&object=two")
    assert "Talk two" in entry
    assert "Archived a conversation" in entry


def test_the_dry_run_of_an_export_costs_as_many_queries_for_many_as_for_few(
    reviewer: Client, django_assert_max_num_queries: Any
) -> None:
    names = [f"t{n}" for n in range(12)]
    talks(*names)
    where = selected(reviewer, "export", *names)
    with django_assert_max_num_queries(12):
        reviewer.get(where)


def test_a_job_page_costs_as_many_queries_for_many_as_for_few(
    reviewer: Client, django_assert_max_num_queries: Any
) -> None:
    talks(*(f"t{n}" for n in range(12)))
    where = selected(reviewer, "archive", *(f"t{n}" for n in range(12)))
    with django_assert_max_num_queries(11):
        reviewer.get(where)
    assert BulkItem.objects.count() == 12


def test_the_forms_need_the_csrf_token() -> None:
    strict = browser(Role.ADMIN)
    assert strict.post("/bulk/select/", {"action": "archive"}).status_code == 403
