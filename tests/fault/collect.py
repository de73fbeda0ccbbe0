"""Reads everything that the product has of some conversations, by REST, and their audit."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from pydantic import JsonValue

from tests.fault.digests import objects
from tests.fault.history import Json, Outcome
from tests.fault.model import Change
from tests.fault.product_state import Found
from tests.fault.wire import Sender

# The audit has no REST call yet; by conversation and in order, a line of JSON an entry. Its chains
# are verified by the same process: to start one takes longer than either.
LIST_CHANGES = """
import json, sys
from django.core.management import CommandError, call_command
from conversations.models import Conversation
from ctxadmin.audit.models import AuditEntry
names = dict(
    Conversation.objects.filter(public_id__startswith={prefix!r}).values_list("key", "public_id")
)
for row in AuditEntry.objects.filter(stream__in=list(names)).order_by("stream", "seq"):
    detail = json.loads(bytes(row.detail))
    print(json.dumps([names[row.stream], row.seq, row.action, row.request_id,
                      row.version_before, row.version_after, detail]))
try:
    call_command("verify_audit", stdout=sys.stderr)
except CommandError as error:
    print(json.dumps(str(error)))
"""


class Unreadable(Exception):
    """An answer that collecting cannot do without did not come, though nothing strikes."""


@dataclass(frozen=True, slots=True)
class Collected:
    """What is there by conversation, and what ``verify_audit`` has to say if a chain is broken."""

    found: Mapping[str, Found]
    broken_chain: str = ""


def collect(
    names: Sequence[str], prefix: str, wire: Sender, manage: Callable[..., str]
) -> Collected:
    """All of these conversations; one that does not exist is left out."""
    changes: dict[str, list[Change]] = {}
    broken = ""
    for line in manage("shell", "-v", "0", "-c", LIST_CHANGES.format(prefix=prefix)).splitlines():
        row = json.loads(line)
        if isinstance(row, str):
            broken = row
            continue
        name, seq, action, request, before, after, detail = row
        change = Change(seq, action, request, before, after, detail)
        changes.setdefault(name, []).append(change)
    found: dict[str, Found] = {}
    for name in names:
        head = _get(wire, f"/conversations/{name}", may_lack=True)
        if head is not None:
            found[name] = _collected(name, head, changes.get(name, []), wire)
    return Collected(found, broken)


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
