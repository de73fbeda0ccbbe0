"""Sign-ins, failures, sign-outs and exports are on record, without a password."""

import json
import logging

import pytest
from django.test import Client
from pytest_django import Settings

from ctxadmin.audit.models import AuditEntry
from ctxadmin.audit.verification import verify_stream
from ctxadmin.identity.roles import Role
from tests.factories import conversation, engine, member, signed_in, user

pytestmark = pytest.mark.django_db

PASSWORD = "a long password"


def tried(client: Client, name: str, password: str = PASSWORD) -> int:
    fields = {"username": name, "password": password}
    return int(client.post("/sign-in/", fields).status_code)


def on_record(*actions: str) -> list[tuple[str, str, str, str]]:
    rows = AuditEntry.objects.filter(action__in=actions).order_by("at")
    return list(rows.values_list("action", "actor_name", "object_id", "address"))


def test_signing_in_and_out_is_on_record_with_the_address() -> None:
    member("anna", Role.REVIEWER)
    client = Client(REMOTE_ADDR="203.0.113.5")
    assert tried(client, "anna") == 302
    client.post("/sign-out/")
    assert on_record("session.sign_in", "session.sign_out") == [
        ("session.sign_in", "anna", "anna", "203.0.113.5"),
        ("session.sign_out", "anna", "anna", "203.0.113.5"),
    ]
    (stream,) = set(AuditEntry.objects.values_list("stream", flat=True))
    assert not verify_stream(stream)


def test_a_failure_is_on_record_and_logged_with_name_and_address_and_no_password(
    caplog: pytest.LogCaptureFixture,
) -> None:
    client = Client(REMOTE_ADDR="203.0.113.5")
    with caplog.at_level(logging.WARNING, "ctxadmin.accounts"):
        assert tried(client, "nobody", "s3cr3t guess") == 200
    assert on_record("session.fail") == [("session.fail", "sign-in", "nobody", "203.0.113.5")]
    (line,) = [each for each in caplog.records if each.name == "ctxadmin.accounts"]
    assert line.__dict__["told"] == {"name": "nobody", "address": "203.0.113.5", "closed": False}
    assert "s3cr3t" not in repr(list(AuditEntry.objects.values()))


def test_while_signing_in_is_closed_attempts_do_not_fill_the_audit(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES_PER_ADDRESS = 3
    client = Client(REMOTE_ADDR="203.0.113.5")
    for n in range(6):
        tried(client, f"name-{n}", "a guess")
    assert len(on_record("session.fail")) == 3


def test_who_took_an_export_is_on_record() -> None:
    head = conversation(user("a"), actor=engine())
    person = signed_in(Role.ADMIN)
    assert person.get(f"/api/v1/conversations/{head.public_id}/export").status_code == 200
    assert person.get(f"/conversations/{head.public_id}/export/").status_code == 200
    found = on_record("conversation.export")
    assert [(action, what) for action, _, what, _ in found] == [
        ("conversation.export", head.public_id)
    ] * 2
    head.refresh_from_db()
    assert head.change_seq == 1


def test_who_took_a_workflow_along_is_on_record() -> None:
    admin = signed_in(Role.ADMIN)
    made = {"slug": "flow", "start_with": "chat"}
    answer = admin.post("/api/v1/workflows", made, content_type="application/json")
    assert answer.status_code == 201
    addresses = ("/api/v1/workflows/flow/yaml", "/workflows/flow/yaml/", "/workflows/flow/json/")
    for address in addresses:
        assert admin.get(address).status_code == 200
        assert admin.get(f"{address}?version=7").status_code == 404
    taken = AuditEntry.objects.filter(action="workflow.export")
    assert [(each.object_id, json.loads(bytes(each.detail))) for each in taken] == [
        ("flow", {"version": "draft"})
    ] * 3
