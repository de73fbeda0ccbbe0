"""The meaning of database errors for a caller."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from django.db.utils import Error, InterfaceError, OperationalError

from ctxadmin.lib.errors import Unavailable

# Numbers of MySQL and MariaDB, from their lists of server and client errors.
AWAY: Final = frozenset({2002, 2003, 2006, 2012, 2013, 2055})
READ_ONLY: Final = frozenset({1290, 1792, 1836})
# The user lacks a right: on the database, a table, a column, or on what only operators do.
DENIED: Final = frozenset({1044, 1142, 1143, 1227})
# A file of the server cannot grow, or a table.
NO_ROOM: Final = frozenset({3, 1021, 1026, 1030, 1114, 1180, 1598})
# Of TLS: the server has none, shows another certificate, or the encrypted connection broke.
NO_TLS: Final = 2026
# Errors that the client library finds itself, as 2014, commands out of sync, and 2027, a malformed
# packet: what a connection says next may belong to something else.
BROKEN: Final = frozenset(range(2000, 2100)) - AWAY - {2020}

# What a server says that ends, or breaks the connection.
_ENDED: Final = frozenset({1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1317, 1927, 4031})


class CommitUnknown(OperationalError):
    """The connection was lost during a COMMIT: the transaction may be stored, or not."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """One kind of error: the message, and after how many seconds to try again."""

    numbers: Collection[int]
    text: str
    retry_after: int = 2


_UNKNOWN: Final = Meaning(
    (),
    "The connection to the database was lost while this was stored, so it may or may not be saved. "
    "Repeat the call with the same Idempotency-Key or checkpoint_id: it takes effect once.",
)
_GONE: Final = Meaning(AWAY, "The database does not respond.")
OUTDATED: Final = Meaning(
    {1054, 1146},
    "The database is not up to date; its operator has to run 'manage.py migrate'.",
    retry_after=30,
)
_INSECURE: Final = Meaning(
    {NO_TLS},
    "The connection to the database cannot be encrypted as DATABASE_URL asks, or it broke.",
)
_BROKEN: Final = Meaning(_ENDED | BROKEN, "The database broke the connection.")
_NOWHERE: Final = Meaning({2005}, "The host of the database is not known.")
_MYSQL: Final = (
    _GONE,
    _NOWHERE,
    _INSECURE,
    _BROKEN,
    Meaning({1040, 1203, 1226, 1637}, "The database has too many connections."),
    Meaning(
        {1020, 1205, 1213},
        "Another change of the same data took too long. Try again.",
        retry_after=1,
    ),
    Meaning({1969, 3024}, "The database took too long.", retry_after=5),
    Meaning(
        READ_ONLY,
        "The database accepts no changes now: it is read-only, for example during a failover.",
        retry_after=5,
    ),
    Meaning(
        NO_ROOM,
        "The database could not write: its disk may be full.",
        retry_after=30,
    ),
    Meaning(
        DENIED | {1045, 1049, 1129, 1130, 1698},
        "The database refuses ctxadmin; its operator has to check why.",
        retry_after=30,
    ),
    OUTDATED,
    Meaning(
        {1153, 2020},
        "The database accepts no value of this size; its operator has to raise max_allowed_packet.",
        retry_after=30,
    ),
)
# Result codes of SQLite: the extended ones that a full disk leads to, and the primary ones, which
# extended ones have in their last eight bits.
_SQLITE: Final = (
    Meaning({5, 6}, "Another change took too long. Try again.", retry_after=1),
    Meaning({13}, "The disk of the database is full.", retry_after=30),
    Meaning(
        {778, 1546, 4874},  # at a write, a change of size, one of shared memory
        "The file of the database could not be written: its disk may be full.",
        retry_after=30,
    ),
    Meaning({8}, "The file of the database cannot be written.", retry_after=30),
    Meaning({10, 14}, "The file of the database cannot be reached.", retry_after=30),
    Meaning(
        {11, 26},
        "The file of the database is damaged; its operator has to restore a backup.",
        retry_after=30,
    ),
)
_OTHER: Final = Meaning((), "The database could not do this now.")
# A value that its column cannot hold, as of characters: no other try can help.
_NEVER: Final = frozenset({1366})
_NO_TABLE: Final = "no such "  # SQLite has no number of its own for it: table, column


def number_of(error: BaseException) -> int | None:
    """Returns the number of a MySQL or MariaDB error, of Django's or the driver's class."""
    number = error.args[0] if error.args else None
    return number if isinstance(number, int) else None


def is_outcome_unknown(error: Error) -> bool:
    """Returns True for an error at a COMMIT that leaves unknown whether it was stored."""
    if isinstance(error, InterfaceError):
        return True
    return number_of(error) in AWAY | BROKEN | _ENDED


def is_outage(error: Error) -> bool:
    """Returns True for an error that the next request would get too: the database is down."""
    return meaning_of(error) in (_GONE, _NOWHERE, _INSECURE, _BROKEN)


def as_unavailable(error: Error) -> Unavailable | None:
    """Returns the refusal for a database error; None if it is a fault of ctxadmin.

    The text contains nothing of the statement or its values.
    """
    meaning = meaning_of(error)
    if meaning is None:
        return None
    changed = "" if meaning is _UNKNOWN else " Nothing was changed."
    return Unavailable(f"{meaning.text}{changed}", retry_after=meaning.retry_after)


def meaning_of(error: Error) -> Meaning | None:
    """Returns the kind of a database error; None if it is a fault of ctxadmin."""
    if isinstance(error, CommitUnknown):
        return _UNKNOWN
    code = getattr(error.__cause__, "sqlite_errorcode", None)
    if isinstance(code, int):
        outdated = str(error).startswith(_NO_TABLE)
        return OUTDATED if outdated else _find(_SQLITE, code) or _find(_SQLITE, code & 0xFF)
    if isinstance(error, InterfaceError):
        return _GONE
    number = number_of(error)
    if number in _NEVER:
        return None
    known = _find(_MYSQL, number)
    return _OTHER if known is None and isinstance(error, OperationalError) else known


def _find(meanings: Collection[Meaning], number: int | None) -> Meaning | None:
    return next((meaning for meaning in meanings if number in meaning.numbers), None)
