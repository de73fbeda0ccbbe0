"""An erasure removes all content: from every column of every table, and every key of Redis."""

import importlib
import json
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import override_settings

from checkpoints.live_copy.redis_copy import RedisLiveCopy
from conversations.lifecycle import erasure
from conversations.models import Conversation
from conversations.pages.changes import change_pages
from conversations.writing.cache import WRITE_CACHE
from ctxadmin.audit.models import AuditEntry, AuditReason
from ctxadmin.audit.verification import verify_stream
from ctxadmin.http.models import KeptAnswer
from ctxadmin.identity.roles import Role
from ctxadmin.storage.database.binary_log import binary_log_days, days_by
from ctxadmin.ui.form_idempotency import FIELD, new_key
from tests.factories import Api, calls, person, signed_in, user
from tests.integration.checkpoints.flows import Run
from tests.integration.live_copy.conftest import copy, following, server
from tests.integration.pages.execution_scenes import url
from tests.integration.pages.state_edits import opened, send, typed

__all__ = ["copy", "following", "server"]
pytestmark = pytest.mark.django_db(transaction=True)
MARK = "Zmq7Qx4LwPd9"


def found_in_sql() -> Iterator[str]:
    """The tables and columns that contain the marker, whatever type they have."""
    for model in apps.get_models(include_auto_created=True):
        table = connection.ops.quote_name(model._meta.db_table)
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {table}")
            names = [column[0] for column in cursor.description or ()]
            for row in cursor.fetchall():
                for name, value in zip(names, row, strict=True):
                    data = value if isinstance(value, bytes) else str(value).encode()
                    if MARK.encode() in data:
                        yield f"{model._meta.db_table}.{name}"


def found_in_redis(client: "redis.Redis") -> Iterator[str]:
    """The keys of Redis that have the marker, in their names or in what they hold."""
    for key in client.scan_iter():
        if MARK.encode() in key or MARK.encode() in (client.dump(key) or b""):
            yield key.decode(errors="replace")


class Once:
    """Sends every write with an Idempotency-Key and demands that it is done."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.count = 0

    def __call__(self, method: str, path: str, body: object) -> Any:
        self.count += 1
        headers = {} if method == "put" else {"Idempotency-Key": f"key-{self.count}"}
        answer = self.api.send(method, path, body, **headers)
        assert answer.status_code in (200, 201), (path, answer.content)
        return answer


def say_everything(do: Once) -> Run:
    """Put the marker into every text of a conversation that a call or a page takes."""
    text = f"about {MARK}"
    message = user(text) | {"metadata": {MARK: text}, "name": MARK, "other": text}
    made = {"id": "said", "title": text, "metadata": {MARK: text}, "tools": text}
    do("post", "/conversations", made | {"messages": [message]})
    path = "/conversations/said"
    do("patch", path, {"title": text, "metadata": {MARK: [text]}, "tools": f"{text}."})
    do("post", f"{path}/messages", {"messages": [message, calls(MARK)]})
    kept = {"operation": "filter", "filter": {"content_contains": [MARK]}, "reason": text}
    do("post", f"{path}/operations", kept)
    new = {"operation": "insert", "insert": {"position": 0, "messages": [message]}}
    do("post", f"{path}/operations", new | {"reason": text})
    do("post", f"{path}/rollback", {"batch": 0, "reason": text})
    do("post", f"{path}/restore", {"revision": 1, "reason": text})
    do("post", f"{path}/batches", {"boundary": 0, "reason": text})
    state = {"plan": text, MARK: {MARK: text}, "large": text * 20_000}
    more = {"metadata": {MARK: text}, "input": text, "reducers": {f"{MARK}.*": "append"}}
    do("post", f"{path}/executions", {"state": state, **more})
    result = {"prompt": text, "response": text, "output": text, "metadata": {MARK: text}}
    saved = {"node_id": text, "state_data": {"plan": text}, "messages": [message]}
    do("put", f"{path}/checkpoints/one", saved)
    done = {"checkpoint_id": "two", "result": result, "messages": [message]}
    do("post", f"{path}/nodes/review/complete", done)
    do("post", f"{path}/pause", {"reason": text})
    do("post", f"{path}/nodes/review/complete", done | {"checkpoint_id": "three"})
    update = {"node_id": "review", "state_data": {"plan": f"{text}!"}, "reason": text}
    do("patch", f"{path}/snapshot", update)
    do("post", f"{path}/comments", {"text": text, "key": MARK, "version": 0})
    do("post", f"{path}/comments", {"text": text, "message": 0})
    do("put", f"{path}/checkpoints/1/label", {"label": text})
    do("post", f"{path}/claim", {})
    run = Run(do.api, Conversation.objects.get(public_id="said"))
    reviewer = signed_in(Role.REVIEWER)
    kept_edit = send(reviewer, run, typed(opened(reviewer, run), plan=f"typed {text}"), "keep")
    assert kept_edit.status_code == 200, kept_edit.content
    do("post", f"{path}/checkpoints/1/restore", {"reason": text})
    do("post", f"{path}/release", {})
    do("post", f"{path}/resume", {"reason": text})
    failed = {"checkpoint_id": "four", "result": {"error": text}}
    do("post", f"{path}/nodes/review/complete", failed)
    do("post", f"{path}/checkpoints/2/fork", {"id": "forked", "title": text})
    admin = signed_in(Role.ADMIN)
    archived = admin.post("/conversations/said/archive/", {"reason": text})
    assert archived.status_code == 302, archived.content
    for read in ("snapshot", "messages", "checkpoints/2"):
        assert run.get(read).status_code == 200
    assert admin.get(url(run, "")).status_code == 200
    do("post", "/conversations/import", run.get("export").json())
    chat = {"id": "uploaded", "title": text, "messages": [message, calls(MARK)]}
    file = SimpleUploadedFile(f"{MARK}.json", json.dumps(chat).encode())
    form = {"file": file, FIELD: new_key()}
    uploaded = admin.post("/conversations/import/", form)
    assert uploaded.status_code == 302, uploaded.content
    return run


def test_an_erasure_leaves_no_content_in_sql_or_redis(
    copy: RedisLiveCopy, server: "redis.Redis"
) -> None:
    api = Api()
    run = say_everything(Once(api))
    tables = {each.partition(".")[0] for each in found_in_sql()}
    said_in = {"web_keptanswer", "audit_auditreason", "checkpoints_pendingedit"}
    assert said_in <= tables  # else the test shows nothing
    assert list(found_in_redis(server))
    names = list(Conversation.objects.values_list("public_id", flat=True))
    assert len(names) == 4  # said, forked, imported by REST, uploaded on the page
    for name in names:
        assert api.delete(f"/conversations/{name}").status_code == 204
    assert sorted(set(found_in_sql())) == []
    assert sorted(found_in_redis(server)) == []
    actions = AuditEntry.objects.filter(stream=run.head.key).values_list("action", flat=True)
    assert "conversation.erase" in actions
    assert verify_stream(run.head.key) == []


def test_a_fork_keeps_what_it_has_when_its_source_is_erased(copy: RedisLiveCopy) -> None:
    api = Api()
    say_everything(Once(api))
    assert api.delete("/conversations/said").status_code == 204
    kept = api.get("/conversations/forked/snapshot").json()["state_data"]
    assert MARK in json.dumps(kept)


def test_a_call_that_made_an_erased_conversation_makes_it_no_more() -> None:
    """A repeat after the erasure neither answers the erased title nor brings it back."""
    api = Api()
    sent = {"id": "said", "title": MARK}
    key = {"Idempotency-Key": "k"}
    assert api.post("/conversations", sent, **key).status_code == 201
    assert api.delete("/conversations/said").status_code == 204
    for body in (sent, {"id": "other"}):
        again = api.post("/conversations", body, **key)
        assert (again.status_code, again.json()["code"]) == (404, "not_found")
        assert MARK not in again.content.decode()
    assert not Conversation.objects.filter(public_id__in=["said", "other"]).exists()
    assert KeptAnswer.objects.filter(body="", answer=b"").count() == 1


def test_the_reason_of_the_erasure_itself_stays(copy: RedisLiveCopy) -> None:
    api = Api()
    assert api.post("/conversations", {"id": "said"}).status_code == 201
    key = Conversation.objects.get(public_id="said").key
    erasure.erase(person(Role.ADMIN), "said", reason="asked for by the customer")
    assert [each.text for each in AuditReason.objects.filter(stream=key)] == [
        "asked for by the customer"
    ]


def test_the_process_remembers_nothing_of_an_erased_conversation() -> None:
    api = Api()
    sent = {"id": "said", "messages": [user(MARK)]}
    assert api.post("/conversations", sent).status_code == 201
    key = Conversation.objects.get(public_id="said").key
    assert key in WRITE_CACHE._known
    assert api.delete("/conversations/said").status_code == 204
    assert key not in WRITE_CACHE._known


@pytest.mark.parametrize(("days", "told"), [(0, "not configured on this server"), (30, "30 days")])
def test_the_page_says_what_backups_still_hold(
    monkeypatch: pytest.MonkeyPatch, days: int, told: str
) -> None:
    monkeypatch.setattr(change_pages, "binary_log_days", lambda: 7)
    assert Api().post("/conversations", {"id": "said"}).status_code == 201
    with override_settings(BACKUP_DAYS=days):
        html = signed_in(Role.ADMIN).get("/conversations/said/erase/").content.decode()
    assert told in html
    assert "The binary log of the database, for 7 days." in html


@pytest.mark.only("mysql")
def test_the_days_of_the_binary_log_are_those_of_the_server() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT @@log_bin, @@binlog_expire_logs_seconds")
        is_on, seconds = cursor.fetchone()
    assert is_on
    assert seconds
    assert binary_log_days() == -(-seconds // 86_400)


@pytest.mark.only("sqlite")
def test_sqlite_has_no_binary_log() -> None:
    assert binary_log_days() == 0


@pytest.mark.parametrize(
    ("settings", "days"),
    [
        ({"log_bin": "OFF", "binlog_expire_logs_seconds": "604800"}, 0),
        ({"log_bin": "ON", "binlog_expire_logs_seconds": "604800"}, 7),
        ({"log_bin": "ON", "binlog_expire_logs_seconds": "1"}, 1),
        ({"log_bin": "ON", "binlog_expire_logs_seconds": "0", "expire_logs_days": "10"}, 10),
        (
            {"log_bin": "ON", "binlog_expire_logs_seconds": "0", "expire_logs_days": "0.000000"},
            None,
        ),
        (
            {
                "log_bin": "ON",
                "binlog_expire_logs_seconds": "604800",
                "binlog_expire_logs_auto_purge": "OFF",
            },
            None,
        ),
    ],
)
def test_a_binary_log_that_never_expires_is_not_taken_for_none(
    settings: dict[str, str], days: int | None
) -> None:
    assert days_by(settings) == days


@pytest.mark.parametrize("days", [0, None])
def test_the_page_says_of_a_binary_log_that_nothing_removes_it(
    monkeypatch: pytest.MonkeyPatch, days: int | None
) -> None:
    monkeypatch.setattr(change_pages, "binary_log_days", lambda: days)
    assert Api().post("/conversations", {"id": "said"}).status_code == 201
    html = signed_in(Role.ADMIN).get("/conversations/said/erase/").content.decode()
    assert ("The binary log of the database, until someone removes it" in html) == (days is None)


def test_the_page_says_where_the_full_text_index_keeps_words() -> None:
    assert Api().post("/conversations", {"id": "said"}).status_code == 201
    html = signed_in(Role.ADMIN).get("/conversations/said/erase/").content.decode()
    assert ("full text index of the database" in html) == (connection.vendor == "mysql")


def test_answers_that_were_kept_before_the_upgrade_go_too() -> None:
    api = Api()
    assert api.post("/conversations", {"id": "said"}, **{"Idempotency-Key": "k"}).status_code == 201
    key = Conversation.objects.get(public_id="said").key
    KeptAnswer.objects.update(about=None)
    migration = importlib.import_module("conversations.migrations.0004_answers_about")
    migration._note(apps, None)
    assert KeptAnswer.objects.get().about == key
