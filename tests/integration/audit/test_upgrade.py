"""The audit of release 0.1.0, whose entries have no key, after the upgrade."""

import hashlib
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from conversations.lifecycle.erasure import erase
from conversations.models import Conversation, Revision
from ctxadmin.audit.models import AuditAnchoredHead, AuditEntry, AuditReason
from ctxadmin.audit.verification import verify_stream
from ctxadmin.identity.roles import Role
from ctxadmin.lib import clock
from ctxadmin.lib.json_bytes import canonical
from tests.factories import person, workspace

pytestmark = pytest.mark.django_db(transaction=True)

STREAM = 77
FIRST, LAST = ("audit", "0001_initial"), ("audit", "0005_audit_filters")


def migrate(*targets: tuple[str, str]) -> Any:
    executor = MigrationExecutor(connection)
    state = executor.migrate(list(targets))
    return state.apps


def entries_of_0_1_0(model: Any) -> str:
    """Two entries as that release wrote them; the hash of the last."""
    digest = "0" * 64
    for seq, reason in ((1, ""), (2, "too long")):
        row = model(
            stream=STREAM,
            seq=seq,
            workspace=workspace().key,
            at=clock.now(),
            actor_kind="person",
            actor_id="1",
            actor_name="rita",
            action="conversation.update",
            object_type="conversation",
            object_id="c",
            reason=reason,
            detail=b"{}",
        )
        content = {
            "before": digest,
            "stream": STREAM,
            "seq": seq,
            "workspace": row.workspace,
            "at": clock.iso(row.at),
            "actor": ["person", "1", "rita"],
            "action": row.action,
            "object": ["conversation", "c"],
            "versions": ["", ""],
            "reason": reason,
            "detail": "{}",
            "request": ["", ""],
        }
        row.hash = digest = hashlib.sha256(canonical(content)).hexdigest()
        row.save(force_insert=True)
    return digest


@pytest.fixture
def upgraded() -> None:
    """A conversation with a stream of 0.1.0, in the tables of today."""
    try:
        digest = entries_of_0_1_0(migrate(FIRST).get_model("audit", "AuditEntry"))
        Conversation.objects.create(
            key=STREAM, workspace=workspace().key, public_id="c", change_seq=2, audit_hash=digest
        )
        Revision.objects.create(
            conversation=STREAM,
            number=0,
            starts_line=True,
            batch=0,
            operation="start",
            opened=b"",
            log_length=0,
            visible_count=0,
            tokens=0,
            author="",
            created_at=clock.now(),
        )
    finally:
        migrate(LAST)


def output() -> str:
    out = StringIO()
    try:
        call_command("verify_audit", stdout=out, stderr=out)
    except CommandError as error:
        out.write(str(error))
    return out.getvalue()


@pytest.mark.usefixtures("upgraded")
def test_entries_of_0_1_0_hold_under_the_old_rule_up_to_where_the_upgrade_found_them() -> None:
    assert "All 1 streams are intact" in output()
    assert AuditReason.objects.get().text == "too long"
    assert AuditAnchoredHead.objects.get().unkeyed == 2
    last = AuditEntry.objects.get(seq=2)
    AuditEntry.objects.filter(seq=2).update(actor_name="nobody")
    assert "entry 2, which was changed" in output()
    AuditEntry.objects.filter(seq=2).update(actor_name="rita")
    last.pk = (STREAM, 3)
    last.save(force_insert=True)
    assert "entry 3, which has no key" in output()


@pytest.mark.usefixtures("upgraded")
def test_a_reason_of_0_1_0_is_missing_only_where_the_conversation_was_erased() -> None:
    AuditReason.objects.all().delete()
    assert "entry 2, which was changed" in str(verify_stream(STREAM)[0])
    erase(person(Role.ADMIN), "c")
    assert not verify_stream(STREAM)
