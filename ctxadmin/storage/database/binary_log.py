"""For how long the database's own log goes on holding what was deleted."""

from typing import Final

from django.db import DatabaseError, connection

_DAY: Final = 86_400
_EXPIRY: Final = "SELECT @@log_bin, @@binlog_expire_logs_seconds"


def binary_log_days() -> int:
    """The days after which MySQL removes its binary log, rounded up; 0 if it keeps none.

    SQLite has no such log: it overwrites what is deleted (``secure_delete``).
    """
    if connection.vendor != "mysql":
        return 0
    try:
        with connection.cursor() as cursor:
            cursor.execute(_EXPIRY)
            is_on, seconds = cursor.fetchone()
    except DatabaseError:  # MariaDB before 10.6 does not know the name
        return 0
    return -(-int(seconds) // _DAY) if is_on else 0
