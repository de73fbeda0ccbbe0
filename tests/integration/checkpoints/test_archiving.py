"""Archiving and erasing conversations by maintenance and by people."""

from typing import Any
from unittest.mock import patch

import pytest

from conversations.lifecycle import erasure
from conversations.models import Conversation
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Scope
from tests.factories import Api, assistant, conversation, user
from tests.integration.checkpoints.flows import Run, ok, refused
from tests.integration.checkpoints.maintenance import head_of, keep, run, untouched

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("pauses", [True, False])
def test_what_continues_is_not_archived(pauses: bool) -> None:
    made = Run.start()
    if pauses:
        made.pause_now()
    keep(archive_after_days=1, erase_after_days=1)
    untouched(made.head, 500)
    run()
    assert not head_of(made.head).archived
    refused(made.post("archive"), 409, "invalid_state")


def test_an_archived_conversation_leaves_the_lists_and_comes_back_with_a_write() -> None:
    api, head = Api(), conversation(user("hello"))
    path = f"/conversations/{head.public_id}"
    answer = ok(api.post(f"{path}/archive"))
    assert answer["archived"] is True
    seq = head_of(head).change_seq
    ok(api.post(f"{path}/archive"))
    assert head_of(head).change_seq == seq
    assert ok(api.get("/conversations"))["results"] == []
    assert [each["id"] for each in ok(api.get("/conversations?archived=true"))["results"]] == [
        head.public_id
    ]
    refused(api.get("/conversations?archived=maybe"), 422, "validation")
    assert ok(api.get(f"{path}/messages"))["results"]
    ok(api.post(f"{path}/messages", {"messages": [assistant("back")]}))
    assert ok(api.get(path))["archived"] is False
    last = AuditEntry.objects.filter(stream=head.key).latest("seq")
    assert (last.action, b'"unarchived":true' in bytes(last.detail)) == ("messages.append", True)
    ok(api.post(f"{path}/archive"))
    assert ok(api.post(f"{path}/unarchive"))["archived"] is False
    actions = AuditEntry.objects.filter(stream=head.key).order_by("seq")
    assert [entry.action for entry in actions][-2:] == [
        "conversation.archive",
        "conversation.unarchive",
    ]


def test_archiving_what_changed_since_it_was_seen_is_a_conflict() -> None:
    api, head = Api(), conversation(user("hello"))
    path = f"/conversations/{head.public_id}"
    for verb in ("archive", "unarchive"):
        refused(api.post(f"{path}/{verb}", **{"If-Match": '"0.7"'}), 409, "version_conflict")
    assert ok(api.post(f"{path}/archive", **{"If-Match": '"0.1"'}))["archived"]


def test_who_designs_or_only_reads_archives_nothing() -> None:
    head = conversation(user("hello"))
    for scopes in ([], [Scope.DESIGN]):
        for verb in ("archive", "unarchive"):
            answer = Api(scopes).post(f"/conversations/{head.public_id}/{verb}")
            refused(answer, 403, "forbidden")
    refused(Api(slug="other").post(f"/conversations/{head.public_id}/archive"), 404, "not_found")


def test_what_is_archived_is_erased_only_after_its_time() -> None:
    api, head = Api(), conversation(user("hello"))
    ok(api.post(f"/conversations/{head.public_id}/archive"))
    keep(erase_after_days=10)
    untouched(head, 9)
    run()
    assert head_of(head).archived
    untouched(head, 11)
    run()
    assert not Conversation.objects.filter(key=head.key).exists()


def test_what_is_written_to_while_it_is_about_to_go_stays() -> None:
    api, head = Api(), conversation(user("hello"))
    ok(api.post(f"/conversations/{head.public_id}/archive"))
    keep(erase_after_days=10)
    untouched(head, 11)
    erase = erasure.erase

    def write_first(*arguments: Any, **named: Any) -> None:
        ok(api.post(f"/conversations/{head.public_id}/messages", {"messages": [user("wait")]}))
        erase(*arguments, **named)

    with patch.object(erasure, "erase", write_first):
        run()
    assert not head_of(head).archived
