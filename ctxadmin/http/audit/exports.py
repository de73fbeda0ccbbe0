"""Exports the audit as CSV or JSON Lines, with the hashes of its chains."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import orjson
from django.http import StreamingHttpResponse

from ctxadmin.accounts.access_log import record_access
from ctxadmin.audit.queries import AuditFilter, FoundEntry, every_entry
from ctxadmin.audit.record import AuditChange
from ctxadmin.http.audit.entries import entry_json
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib import clock
from ctxadmin.lib.json_bytes import dumps

_ROWS: Final = 200  # in one part of the answer
# What a spreadsheet takes for the start of a formula, or skips before one.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")
COLUMNS: Final = (
    *("at", "actor_kind", "actor_name", "actor_id", "action", "object_type", "object_id"),
    *("before", "after", "reason", "address", "request_id", "detail"),
    *("stream", "seq", "reason_digest", "key_name", "hash"),
)
TYPES: Final[Mapping[str, str]] = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
}


def export(actor: Actor, wanted: AuditFilter, kind: str) -> StreamingHttpResponse:
    """Returns all matching entries as a file of ``kind``, read as it is sent.

    The export is recorded first, in the stream of the actor's accesses.
    """
    actor.require(Action.AUDIT_EXPORT)
    detail = {"format": kind, **_filter_fields(wanted)}
    record_access(actor, AuditChange(Action.AUDIT_EXPORT, "audit", "", detail=detail))
    until = wanted.until
    found = every_entry(actor.workspace, wanted)
    day = clock.iso(clock.now())[:10]
    name = f"audit-{day}.{kind}" if until is None else f"audit-until-{clock.iso(until)[:10]}.{kind}"
    return StreamingHttpResponse(
        _WRITERS[kind](found),
        content_type=TYPES[kind],
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def csv_parts(found: Iterable[FoundEntry]) -> Iterator[bytes]:
    """Yields CSV (RFC 4180); cells that a spreadsheet would run have an apostrophe before them."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for count, each in enumerate(found, start=1):
        entry = entry_json(each)
        writer.writerow([_cell(entry[name]) for name in COLUMNS])
        if count % _ROWS == 0:
            yield text.getvalue().encode()
            text.seek(0)
            text.truncate()
    yield text.getvalue().encode()


def jsonl_parts(found: Iterable[FoundEntry]) -> Iterator[bytes]:
    """Yields one JSON object a line, with the fields of ``GET /audit``."""
    lines: list[bytes] = []
    for each in found:
        lines.append(orjson.dumps(entry_json(each)))
        if len(lines) == _ROWS:
            yield b"\n".join(lines) + b"\n"
            lines.clear()
    if lines:
        yield b"\n".join(lines) + b"\n"


def _cell(value: object) -> str:
    text = "" if value is None else value if isinstance(value, str) else dumps(value).decode()
    return f"'{text}" if text.startswith(_FORMULA) else text


def _filter_fields(wanted: AuditFilter) -> dict[str, str]:
    """Returns the filters that are set, for the record of the export."""
    moments = {"since": wanted.since, "until": wanted.until}
    texts = {
        "actor": wanted.actor,
        "action": wanted.action,
        "object_type": wanted.object_type,
        "object": wanted.object_id,
        **{name: clock.iso(moment) for name, moment in moments.items() if moment is not None},
    }
    return {name: text for name, text in texts.items() if text}


_WRITERS: Final[Mapping[str, Callable[[Iterable[FoundEntry]], Iterator[bytes]]]] = {
    "csv": csv_parts,
    "jsonl": jsonl_parts,
}
