"""The findings of the probe as system checks of Django: ``manage.py check --database default``."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from django.core import checks
from django.db import DEFAULT_DB_ALIAS

from ctxadmin.storage.database import probe

_migrates: Final = ContextVar("migrates", default=False)


@contextmanager
def for_migration() -> Iterator[None]:
    """Marks checks inside as those of ``migrate``, which accepts an outdated database."""
    token = _migrates.set(True)
    try:
        yield
    finally:
        _migrates.reset(token)


@checks.register(checks.Tags.database)
def check_database(
    *, databases: Sequence[str] | None = None, **others: Any
) -> list[checks.CheckMessage]:
    """Returns what ``/readyz`` says of the database, including empty and half-migrated ones."""
    if DEFAULT_DB_ALIAS not in (databases or ()):
        return []
    return [
        (checks.Error if found.level == "error" else checks.Warning)(
            found.text, hint=found.fix, id=f"ctxadmin.{found.check}"
        )
        for found in (probe.settings_only() if _migrates.get() else probe.findings())
        if found.level != "ok"
    ]
