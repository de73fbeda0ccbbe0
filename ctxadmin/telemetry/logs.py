"""Log lines: events with ids, as JSON or plain text; never content, tokens or paths of callers.

The text of an exception or of another package may quote what a caller sent: a database names the
value that does not fit, Django the path that it does not know. So exceptions are logged by types,
numbers and stack only, and events of other packages by the words in their code.
"""

import logging
import re
import sqlite3
import threading
import traceback
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Final

import orjson
from django.db import DatabaseError

from ctxadmin.lib import clock
from ctxadmin.lib.errors import ContextError
from ctxadmin.telemetry.facts import Facts, current

# The packages of this project: a logger is named for its module, or for one of them.
_OURS: Final = frozenset(
    {
        "bulk",
        "checkpoints",
        "conversations",
        "ctxadmin",
        "demo",
        "notifications",
        "search",
        "workflows",
    }
)
_FRAMES: Final = 40
_CHAIN: Final = 5
_VALUE: Final = re.compile(r"%(?:\(\w+\))?[-+# 0-9.*]*[a-zA-Z]")
_log = logging.getLogger("ctxadmin.telemetry")
_access = logging.getLogger("ctxadmin.access")


class JsonFormatter(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        return orjson.dumps(_fields_of(record), default=str).decode()


class LineFormatter(logging.Formatter):
    """A record as one line of text, and a line for each frame of a stack."""

    def format(self, record: logging.LogRecord) -> str:
        fields = _fields_of(record)
        errors = fields.pop("errors", ())
        first = f"{fields.pop('time')} {fields.pop('level')} {fields.pop('event')}"
        lines = [" ".join([first, *(f"{name}={value}" for name, value in fields.items())])]
        for error in errors if isinstance(errors, list) else ():
            lines += [f"  {place}" for place in error.pop("stack")]
            lines.append("  " + " ".join(map(str, error.values())))
        return "\n".join(lines)


def log_request(facts: Facts, method: str, seconds: float) -> None:
    """Logs an answered request, if that is enabled."""
    if _access.isEnabledFor(logging.INFO):
        fields = {
            "method": method,
            "route": facts.route,
            "status": facts.status,
            "ms": round(seconds * 1e3, 3),
            **facts.ids(),
        }
        if facts.code:
            fields["code"] = facts.code
        _access.info("request", extra={"told": fields})


def log_ends_of_threads() -> None:
    """Logs an exception that ends a thread like everything else."""
    threading.excepthook = _thread_ended


def _thread_ended(ended: threading.ExceptHookArgs) -> None:
    if ended.exc_value is not None:
        _log.error("a thread ended: %s", ended.exc_type.__name__, exc_info=ended.exc_value)


def _fields_of(record: logging.LogRecord) -> dict[str, object]:
    """Returns the fields of a line, in order."""
    fields: dict[str, object] = {
        "time": clock.iso(clock.now()),
        "level": record.levelname,
        "event": _event(record),
    }
    own = record.__dict__.get("told")
    facts = current.get()
    if isinstance(own, Mapping):
        fields |= own
    elif facts is not None:
        fields |= facts.ids()
    if not _is_ours(record):
        fields["logger"] = record.name
    if record.exc_info and record.exc_info[1] is not None:
        fields["errors"] = [_error(each) for each in _chain(record.exc_info[1])]
    return fields


def _is_ours(record: logging.LogRecord) -> bool:
    return record.name.partition(".")[0] in _OURS


def _event(record: logging.LogRecord) -> str:
    """Returns our own words with their values; for others the template, or else the place."""
    if _is_ours(record):
        return _worded(record)
    template = record.msg
    if isinstance(template, str) and (record.args or record.name.startswith("uvicorn")):
        first = template.partition("\n")[0]
        if any(map(str.isalpha, _VALUE.sub("", first))):
            return first
    return f"{record.module}.{record.funcName}"


def _worded(record: logging.LogRecord) -> str:
    """Returns our event; an exception among its values is replaced by its type."""
    values = record.args
    if isinstance(values, tuple):
        values = tuple(
            type(value).__name__ if isinstance(value, BaseException) else value for value in values
        )
    try:
        return str(record.msg) % values if values else str(record.msg)
    except (TypeError, ValueError):
        return str(record.msg)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yields the exception and its causes, last first."""
    following: BaseException | None = error
    for _ in range(_CHAIN):
        if following is None:
            return
        yield following
        implied = None if following.__suppress_context__ else following.__context__
        following = following.__cause__ or implied


def _error(error: BaseException) -> dict[str, object]:
    """Returns the log form of an exception: type, database number, stack without values."""
    fields: dict[str, object] = {"type": f"{type(error).__module__}.{type(error).__qualname__}"}
    if isinstance(error, ContextError):
        fields["code"] = error.code
    elif isinstance(error, sqlite3.Error):
        fields["code"] = getattr(error, "sqlite_errorname", "")
    elif isinstance(error, DatabaseError) and error.args and isinstance(error.args[0], int):
        fields["code"] = error.args[0]
    fields["stack"] = list(_places(error.__traceback__))
    return fields


def _places(trace: TracebackType | None) -> Iterator[str]:
    for frame in traceback.extract_tb(trace, limit=-_FRAMES):
        yield f"{frame.filename}:{frame.lineno} {frame.name}"
