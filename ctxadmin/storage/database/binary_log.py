"""How long the database's own log still has deleted data."""

from collections.abc import Mapping
from typing import Final

from django.db import connection

_DAY: Final = 86_400
# Not each of them is known to every server: MySQL from 8.4 on has no days, MariaDB no switch.
_SETTINGS: Final = """
SHOW GLOBAL VARIABLES WHERE variable_name IN (
'log_bin', 'binlog_expire_logs_seconds', 'expire_logs_days', 'binlog_expire_logs_auto_purge')
"""


def binary_log_days() -> int | None:
    """Returns the days after which MySQL removes its binary log, rounded up.

    0 without one; None if it is never removed automatically, as on servers without that setting.
    SQLite has no such log: it overwrites what is deleted (``secure_delete``).
    """
    if connection.vendor != "mysql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute(_SETTINGS)
        return days_by(dict(cursor.fetchall()))


def days_by(settings: Mapping[str, str]) -> int | None:
    """Returns the days from the server's settings."""
    if settings["log_bin"] != "ON":
        return 0
    if settings.get("binlog_expire_logs_auto_purge") == "OFF":
        return None
    seconds = int(settings.get("binlog_expire_logs_seconds", 0))
    seconds = seconds or int(_DAY * float(settings.get("expire_logs_days", 0)))
    return -(-seconds // _DAY) or None
