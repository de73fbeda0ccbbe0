"""Makes the dump of a release: ``python -m tests.releases.make 0.1.0``, in a checkout of it.

Of MariaDB with ``CTXADMIN_TEST_DATABASE=mariadb``.

What it makes has a bit of everything that is stored. Beside the dump it keeps what REST answers of
it, so that a later release can be asked for the same. Once it is on main a dump never changes.
"""

import gzip
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

from django.conf import settings
from django.core.management import call_command
from django.db import connection

from conversations.lifecycle import erasure
from conversations.models import Conversation
from ctxadmin.accounts.services import default_workspace, system_actor
from ctxadmin.identity.roles import Role
from tests import servers
from tests.factories import Api, assistant, calls, conversation, result, signed_in, system, user
from tests.integration.pages.execution_scenes import paused, running
from tests.integration.pages.state_edits import opened, send, typed

FOLDER = Path(__file__).parent
ODD = "quotes '\"` \\ slash, \U0001f600, \u202e, line\r\n, %s ;-- DROP"


def main(release: str) -> None:
    """Fill a new database of the run, and write the dump and the answers."""
    name = "sqlite" if settings.EMBEDDED else "mariadb"
    if not settings.EMBEDDED:
        _mariadb("mariadb", "-e", "CREATE DATABASE ctxadmin CHARACTER SET utf8mb4")
    call_command("migrate", verbosity=0)
    api = fill()
    folder = FOLDER / release
    folder.mkdir(exist_ok=True)
    said = answers(api)
    connection.close()
    for ending, text in (("json", said), ("sql", _dump())):
        (folder / f"{name}.{ending}.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


def fill() -> Api:
    """Everything that a database can hold; the token that may read it."""
    call_command("seed_demo", verbosity=0)
    api = Api()
    reviewer = signed_in(Role.REVIEWER)
    _conversations(api)
    _executions(reviewer)
    hook = {
        "name": "Engine",
        "url": "https://example.org/hook",
        "kinds": ["execution.review_asked"],
    }
    _ok(api.post("/webhooks", hook))
    return api


def _conversations(api: Api) -> None:
    messages = [system("s"), user(ODD), calls("c1", "c2"), result("c1"), result("c2"), user("b")]
    conversation(
        *messages,
        public_id="described",
        title=ODD.replace("\r\n", " ")[:60],
        metadata=json.dumps({"team": "support", "odd": ODD}).encode(),
        tools="look_up(name): finds a parcel",
    )
    rows = {"operation": "truncate", "truncate": {"keep_first": 1, "keep_last": 1}}
    _ok(api.post("/conversations/described/operations", rows))
    _ok(api.post("/conversations/described/rollback", {"batch": 0}))
    _ok(api.post("/conversations/described/messages", {"messages": [assistant("so")]}))
    conversation(user("old"), public_id="archived", metadata=b'{"kept": true}')
    _ok(api.post("/conversations/archived/archive"))
    conversation(user("gone"), public_id="erased")
    erasure.erase(system_actor(default_workspace(), "tests"), "erased", reason="asked for")
    body = {"id": "repeated", "title": "once"}
    _ok(api.post("/conversations", body, **{"Idempotency-Key": "first"}))


def _executions(reviewer: Any) -> None:
    run = paused("letter", metadata={"tier": "vip"}, state={"log": [1], "odd": ODD})
    fields = typed(opened(reviewer, run), draft="Dear friend")
    _ok(send(reviewer, run, fields, "keep"))
    _ok(run.post("comments", {"version": 1, "key": "draft", "text": "too stiff"}))
    _ok(run.api.put(f"{run.path}/checkpoints/1/label", {"label": "first draft"}))
    _ok(run.post("claim"))
    free = running()
    for number in range(3):
        _ok(free.save(f"save-{number}", state_data={"n": number, "log": {"$append": [number]}}))
    _ok(free.post("pause"))
    _ok(free.save("save-last", state_data={"n": 9}))
    _ok(free.post("checkpoints/2/restore"))
    _ok(free.post("checkpoints/1/fork", {"id": "forked"}))
    ended = running()
    _ok(ended.post("cancel"))


def answers(api: Api) -> str:
    """What the contract answers about all of it, by path, and the token that asked."""
    paths = ["/conversations?limit=100", "/conversations?archived=true", "/workflows", "/webhooks"]
    for slug in [row["slug"] for row in _ok(api.get("/workflows"))["results"]]:
        paths += [f"/workflows/{slug}{rest}" for rest in ("", "/draft", "/versions", "/versions/1")]
    for head in Conversation.objects.order_by("public_id"):
        one = f"/conversations/{head.public_id}"
        paths += [one, f"{one}/messages?view=all&limit=100", f"{one}/export", f"{one}/comments"]
        paths += [f"{one}/messages?view=revision:{n}" for n in range(head.revision_count)]
        paths += [f"{one}/batches"]
        if head.status == "IDLE":
            continue
        paths += [f"{one}/{rest}" for rest in ("snapshot", "checkpoints", "labels")]
        listed = _ok(api.get(f"{one}/checkpoints?limit=100"))["results"]
        paths += [f"{one}/checkpoints/{row['version']}" for row in listed]
    found = {path: _ok(api.get(path)) for path in paths}
    return json.dumps({"token": api.secret, "answers": found}, ensure_ascii=False)


def _ok(answer: Any) -> Any:
    if answer.status_code >= 400:
        sys.exit(f"{answer.request}: {answer.status_code} {answer.content!r}")
    return answer.json() if "json" in answer.get("Content-Type", "") else None


def _dump() -> str:
    if settings.EMBEDDED:
        with sqlite3.connect(settings.DATABASES["default"]["NAME"]) as database:
            return "".join(f"{line}\n" for line in database.iterdump())
    options = ("--hex-blob", "--skip-dump-date", "--skip-comments", "--no-tablespaces")
    return _mariadb("mariadb-dump", *options, "ctxadmin")


def _mariadb(name: str, *arguments: str) -> str:
    port = servers.shared("mariadb").rstrip("/").rpartition(":")[2]
    command = [
        servers.program("mariadb-client", name),
        *("--no-defaults", "--host=127.0.0.1", f"--port={port}", "--user=root"),
        "--default-character-set=utf8mb4",
    ]
    done = subprocess.run([*command, *arguments], check=True, capture_output=True, text=True)
    return done.stdout


if __name__ == "__main__":
    main(sys.argv[1])
