"""Reads everything that the product has of some conversations, by REST, and their audit."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from urllib.parse import quote

from pydantic import JsonValue

from tests.fault.digests import objects
from tests.fault.found import Found
from tests.fault.history import Json, Outcome
from tests.fault.model import Change
from tests.fault.wire import Sender

# The audit has no REST call yet; by conversation and in order, a line of JSON an entry.
LIST_CHANGES = """
import json
from conversations.models import Conversation
from ctxadmin.audit.models import AuditEntry
names = dict(
    Conversation.objects.filter(public_id__startswith={prefix!r}).values_list("key", "public_id")
)
for row in AuditEntry.objects.filter(stream__in=list(names)).order_by("stream", "seq"):
    detail = json.loads(bytes(row.detail))
    print(json.dumps([names[row.stream], row.seq, row.action, row.request_id,
                      row.version_before, row.version_after, detail]))
"""


class Unreadable(Exception):
    """An answer that collecting cannot do without did not come, though nothing strikes."""


def collect(
    names: Sequence[str], prefix: str, wire: Sender, manage: Callable[..., str]
) -> dict[str, Found]:
    """What is there of each of these conversations; one that does not exist is left out."""
    changes = list_changes(prefix, manage)
    found: dict[str, Found] = {}
    for name in names:
        head = _get(wire, f"/conversations/{name}", may_lack=True)
        if head is not None:
            found[name] = _collected(name, head, changes.get(name, []), wire)
    return found


def list_changes(prefix: str, manage: Callable[..., str]) -> dict[str, list[Change]]:
    """The audit of all conversations whose names start so."""
    listed: dict[str, list[Change]] = {}
    printed = manage("shell", "-v", "0", "-c", LIST_CHANGES.format(prefix=prefix))
    for line in printed.splitlines():
        name, seq, action, request, before, after, detail = json.loads(line)
        change = Change(seq, action, request, before, after, detail)
        listed.setdefault(name, []).append(change)
    return listed


def _collected(name: str, head: Json, changes: Sequence[Change], wire: Sender) -> Found:
    path = f"/conversations/{name}"
    batches = _all(wire, f"{path}/batches?all=true")
    revisions = [batch["revision"] for batch in batches]
    views = {
        number: _all(wire, f"{path}/messages?view=revision:{number}")
        for number in revisions
        if isinstance(number, int)
    }
    checkpoints: list[Json] = []
    if head["status"] != "IDLE":
        checkpoints = sorted(_all(wire, f"{path}/checkpoints"), key=_version)
    snapshots = {
        number: _get(wire, f"{path}/checkpoints/{number}") or {}
        for number in map(_version, checkpoints)
    }
    log = _all(wire, f"{path}/messages?view=all")
    return Found(head, log, views, checkpoints, snapshots, changes)


def _all(wire: Sender, path: str) -> list[Json]:
    """Every row of a list, page after page."""
    return list(_rows(wire, path))


def _rows(wire: Sender, path: str) -> Iterator[Json]:
    cursor: JsonValue = ""
    while cursor is not None:
        sign = "&" if "?" in path else "?"
        more = f"&cursor={quote(str(cursor))}" if cursor else ""
        page = _get(wire, f"{path}{sign}limit=1000{more}") or {}
        rows = page["results"]
        yield from map(objects, rows if isinstance(rows, list) else ())
        cursor = page["next"]


def _get(wire: Sender, path: str, *, may_lack: bool = False) -> Json | None:
    attempt = wire.send("GET", path)
    if attempt.outcome is Outcome.ACKNOWLEDGED:
        return attempt.answer
    if may_lack and attempt.code == "not_found":
        return None
    raise Unreadable(f"{path} got {attempt.outcome} {attempt.status} {attempt.answer}{attempt.why}")


def _version(checkpoint: Mapping[str, JsonValue]) -> int:
    version = checkpoint["version"]
    return version if isinstance(version, int) else -1
