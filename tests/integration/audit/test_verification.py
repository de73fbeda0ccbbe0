"""What verify_audit finds of what someone who writes to the database did to the audit."""

import json
import re
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client, override_settings

from conversations.domain.configs import read_operation
from conversations.lifecycle.erasure import erase
from conversations.models import Conversation
from conversations.services.use_cases import apply_operation
from ctxadmin.audit.anchors import anchor_heads, anchor_if_due
from ctxadmin.audit.chain import FIRST_HASH, entry_hash, unkeyed_hash
from ctxadmin.audit.checks import last_check
from ctxadmin.audit.keys import derive
from ctxadmin.audit.models import (
    AuditAnchor,
    AuditAnchoredHead,
    AuditCheck,
    AuditEntry,
    AuditReason,
)
from ctxadmin.audit.verification import verify_stream
from ctxadmin.identity.roles import Role, Scope
from ctxadmin.lib import clock
from ctxadmin.ui.audit import pages
from tests.factories import conversation, engine, person, signed_in, user

pytestmark = pytest.mark.django_db


def verify(*arguments: str) -> str:
    out = StringIO()
    call_command("verify_audit", *arguments, stdout=out, stderr=out)
    return out.getvalue()


def faults(*arguments: str) -> str:
    out = StringIO()
    with pytest.raises(CommandError, match="broken"):
        call_command("verify_audit", *arguments, stdout=out, stderr=out)
    return out.getvalue()


@pytest.fixture
def head() -> Conversation:
    """A conversation with three entries, one with a reason, all anchored."""
    made = conversation(user("a"), user("b"), actor=engine())
    for keep in (2, 1):
        operate_with_reason(made, keep)
    anchor_heads()
    made.refresh_from_db()
    assert made.change_seq == 3
    return made


def operate_with_reason(head: Conversation, keep: int) -> None:
    apply_operation(
        person(Role.REVIEWER),
        head.public_id,
        read_operation({"operation": "truncate", "truncate": {"keep_last": keep}}),
        reason=f"keeps {keep}",
    )


def entries(head: Conversation) -> list[AuditEntry]:
    return list(AuditEntry.objects.filter(stream=head.key).order_by("seq"))


def set_head(head: Conversation, seq: int) -> None:
    """Let the head say that it has so many entries."""
    digest = AuditEntry.objects.get(pk=(head.key, seq)).hash
    Conversation.objects.filter(key=head.key).update(change_seq=seq, audit_hash=digest)


def test_a_whole_audit_holds(head: Conversation) -> None:
    assert "intact" in verify()
    assert AuditReason.objects.get(stream=head.key, seq=2).text == "keeps 2"


def test_a_changed_entry_is_found(head: Conversation) -> None:
    AuditEntry.objects.filter(stream=head.key, seq=2).update(actor_name="nobody")
    assert f"stream {head.key}: the chain breaks at entry 2, which was changed" in faults()


def test_deleted_last_entries_are_found_by_the_head(head: Conversation) -> None:
    AuditEntry.objects.filter(stream=head.key, seq=3).delete()
    AuditAnchoredHead.objects.filter(stream=head.key).delete()
    assert "it ends at entry 2; it had 3 by its head" in faults()


def test_deleted_last_entries_are_found_by_the_anchor_when_the_head_was_set_back(
    head: Conversation,
) -> None:
    set_head(head, 2)
    AuditEntry.objects.filter(stream=head.key, seq=3).delete()
    assert "it ends at entry 2; it had 3 by an anchor" in faults()


def test_a_deleted_stream_is_found_by_its_head(head: Conversation) -> None:
    AuditEntry.objects.filter(stream=head.key).delete()
    AuditAnchoredHead.objects.filter(stream=head.key).delete()
    assert f"stream {head.key}: the whole stream is missing" in faults()


def test_a_deleted_stream_is_found_by_its_anchor_when_the_head_went_too(
    head: Conversation,
) -> None:
    AuditEntry.objects.filter(stream=head.key).delete()
    Conversation.objects.all().delete()
    assert f"stream {head.key}: the whole stream is missing; it had 3 by an anchor" in faults()


def test_a_stream_without_its_object_is_found_unless_the_object_was_erased(
    head: Conversation,
) -> None:
    erased = conversation(user("a"), actor=engine())
    erase(person(Role.ADMIN), erased.public_id)
    assert verify()
    Conversation.objects.filter(key=head.key).delete()
    assert faults().count("gone without a recorded erasure") == 1


@pytest.mark.parametrize("keyed", [True, False])
def test_an_entry_rewritten_with_all_hashes_after_it_is_found(
    head: Conversation, keyed: bool
) -> None:
    """By someone who writes to the database and does not have the key."""
    before = FIRST_HASH
    for entry in entries(head):
        entry.actor_name = "nobody"
        if keyed:
            entry.hash = entry_hash(entry, before, derive("not the key"))
        else:
            entry.key_name, entry.reason_digest = "", ""
            entry.hash = unkeyed_hash(entry, before, "")
        before = entry.hash
        entry.save()
    set_head(head, 3)
    AuditReason.objects.all().delete()
    assert "the chain breaks at entry 1" in faults()


def test_an_entry_rewritten_with_a_key_that_leaked_differs_from_its_anchor(
    head: Conversation,
) -> None:
    before = FIRST_HASH
    key = derive(override_key())
    for entry in entries(head):
        entry.actor_name = "nobody"
        entry.hash = before = entry_hash(entry, before, key)
        entry.save()
    set_head(head, 3)
    assert "entry 3 is not the one that was anchored" in faults()


def override_key() -> str:
    from django.conf import settings

    return settings.AUDIT_KEY or settings.SECRET_KEY


@pytest.mark.parametrize("field", ["hash", "digest", "streams"])
def test_a_changed_anchor_is_found(head: Conversation, field: str) -> None:
    AuditAnchor.objects.filter(number=2).update(**{field: 7})
    assert "anchors: anchor 2 was changed" in faults()


def test_a_changed_anchored_head_and_removed_anchors_are_found(head: Conversation) -> None:
    AuditAnchoredHead.objects.filter(stream=head.key).update(seq=2)
    assert "anchor 2 was changed" in faults()
    AuditAnchor.objects.filter(number=1).delete()
    assert "anchor 1 is missing" in faults()
    AuditAnchor.objects.all().delete()
    assert "all are missing" in faults()
    assert anchor_heads() is None
    assert not AuditAnchor.objects.exists()


def test_a_reason_is_found_changed_or_gone_but_for_an_erasure(head: Conversation) -> None:
    AuditReason.objects.filter(stream=head.key, seq=2).update(text="other")
    assert "entry 2, whose reason was changed" in faults()
    AuditReason.objects.filter(stream=head.key, seq=2).delete()
    assert "entry 2, whose reason is gone without a recorded erasure" in faults()
    erase(person(Role.ADMIN), head.public_id)
    assert not verify_stream(head.key)


def test_the_key_is_changed_and_older_entries_are_verified_by_the_former(
    head: Conversation,
) -> None:
    former = override_key()
    with override_settings(AUDIT_KEY="k" * 32, AUDIT_KEY_FALLBACKS=[former]):
        operate_with_reason(head, 1)
        assert anchor_heads()
        assert len({entry.key_name for entry in entries(head)}) == 2
        assert "intact" in verify()
    with override_settings(AUDIT_KEY="k" * 32, SECRET_KEY="s" * 32):
        assert "CTXADMIN_AUDIT_KEY_FALLBACKS" in faults()


def test_anchors_take_what_grew_and_nothing_twice(head: Conversation) -> None:
    last = anchor_heads()
    assert last is not None
    assert anchor_heads(everything=True) == last
    operate_with_reason(head, 1)
    now = anchor_heads()
    assert now is not None
    assert (now.number, now.streams) == (last.number + 1, 1)


def test_an_entry_of_a_clock_that_went_wrong_is_anchored_when_all_are_asked(
    head: Conversation,
) -> None:
    other = conversation(user("a"), actor=engine(Scope.ENGINE))
    AuditEntry.objects.filter(stream=other.key).update(at="2020-01-01T00:00:00Z")
    anchor_heads()
    assert not AuditAnchoredHead.objects.filter(stream=other.key).exists()
    anchor_heads(everything=True)
    assert AuditAnchoredHead.objects.filter(stream=other.key).exists()


def test_anchors_are_due_when_the_last_is_a_quarter_of_an_hour_old(head: Conversation) -> None:
    operate_with_reason(head, 1)
    anchor_if_due()
    assert AuditAnchor.objects.count() == 2
    AuditAnchor.objects.filter(number=2).update(at=clock.now() - timedelta(minutes=16))
    anchor_if_due()
    assert AuditAnchor.objects.count() == 3


def test_maintenance_anchors_all(head: Conversation) -> None:
    operate_with_reason(head, 1)
    call_command("maintain", stdout=StringIO())
    assert AuditAnchoredHead.objects.filter(stream=head.key, seq=4).exists()


@pytest.fixture
def checkpoint(head: Conversation, tmp_path: Path) -> Path:
    out = StringIO()
    call_command("audit_checkpoint", stdout=out)
    path = tmp_path / "checkpoint.json"
    path.write_text(out.getvalue())
    return path


def test_a_checkpoint_finds_that_the_last_anchors_were_removed_with_what_they_held(
    head: Conversation, checkpoint: Path
) -> None:
    assert "intact" in verify("--checkpoint", str(checkpoint))
    set_head(head, 2)
    AuditEntry.objects.filter(stream=head.key, seq=3).delete()
    AuditReason.objects.filter(stream=head.key, seq=3).delete()
    AuditAnchor.objects.filter(number__gt=1).delete()
    AuditAnchoredHead.objects.filter(anchor__gt=1).delete()
    assert "intact" in verify()
    assert "checkpoint: anchor 2 is missing" in faults("--checkpoint", str(checkpoint))


def test_a_checkpoint_that_was_changed_or_is_none_is_refused(checkpoint: Path) -> None:
    found = json.loads(checkpoint.read_text())
    checkpoint.write_text(json.dumps({**found, "anchor": 1}))
    assert "checkpoint: it was changed" in faults("--checkpoint", str(checkpoint))
    for text in ("{}", "no JSON", json.dumps({**found, "format": "other"})):
        checkpoint.write_text(text)
        with pytest.raises(CommandError, match="cannot be read"):
            verify("--checkpoint", str(checkpoint))


def pressed(client: Client) -> str:
    """The page after *Verify now*."""
    return str(client.post("/audit/verify/", follow=True).content.decode())


def test_an_admin_verifies_in_the_browser_and_is_told_what_is_broken() -> None:
    conversation(user("a"), public_id="one", actor=engine())
    client = signed_in(Role.ADMIN)
    assert "Never verified" in str(client.get("/audit/").content.decode())
    page = pressed(client)
    assert "Verified: no entry was changed or removed." in page
    assert "Verified up to" in page
    AuditEntry.objects.filter(object_id="one").update(action="forged")
    page = pressed(client)
    assert re.search(r"1 of \d+ chains? (are|is) broken", page)
    assert "found 1 broken chain" in page


def test_a_page_verifies_only_what_takes_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    conversation(user("a"), public_id="one", actor=engine())
    monkeypatch.setattr(pages, "_LONGEST", -1)
    assert "Not verified: it takes more than" in pressed(signed_in(Role.ADMIN))
    assert last_check() is None


def test_a_finished_verification_is_stored_and_cannot_be_claimed() -> None:
    call_command("verify_audit")
    found = last_check()
    assert found is not None
    assert found.broken == 0
    AuditCheck.objects.update(streams=found.streams + 1)
    assert last_check() is None
