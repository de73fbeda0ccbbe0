"""``manage.py migrate``: Django's command, which also continues an interrupted migration."""

from collections.abc import Iterable
from typing import Any, Final

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connection
from django.db.utils import Error

from ctxadmin.lib.finding import Finding
from ctxadmin.storage.database import probe, schema_probe
from ctxadmin.storage.database.errors import meaning_of, number_of
from ctxadmin.storage.database.migration_progress import ResumingExecutor
from ctxadmin.storage.database.mysql.schema_editor import DONE_BEFORE
from ctxadmin.storage.database.system_checks import for_migration

# Django's command names its executor nowhere else.
migrate.MigrationExecutor = ResumingExecutor  # type: ignore[attr-defined]

_NONE: Final = "No migration was started."
_WHOLE: Final = "The failed migration was rolled back; the ones before it are applied."
_HALF: Final = (
    "The migrations before it are applied, and the failed one may be half done. Run manage.py"
    " migrate again to continue."
)
_UNKNOWN_TABLES: Final = (
    "The database has parts of a migration that is not recorded, probably left by an interrupted"
    " migration of another program. Restore a backup, or migrate an empty database."
)


class Command(migrate.Command):
    _started = False

    def check(self, *args: Any, **options: Any) -> Any:
        with for_migration():
            return super().check(*args, **options)

    def handle(self, *args: Any, **options: Any) -> Any:
        try:
            _require_tables(schema_probe.check_before_migration())
            done = super().handle(*args, **options)
            _require_tables(schema_probe.check_schema())
        except Error as error:
            if self._started:
                self.stdout.write("")  # ends the line of the migration that was under way
            raise CommandError(_explanation_of(error, started=self._started)) from error
        return done

    def migration_progress_callback(self, action: str, *args: Any, **options: Any) -> None:
        if action in ("apply_start", "unapply_start"):
            self._started = True
        super().migration_progress_callback(action, *args, **options)


def _require_tables(findings: Iterable[Finding]) -> None:
    """Raises CommandError unless the tables are those that migrations make, possibly outdated."""
    for found in findings:
        if found.check == schema_probe.TABLES and found.level == "error":
            raise CommandError(f"{found.text} {found.fix}")


def _explanation_of(error: Error, *, started: bool) -> str:
    """Returns what went wrong, what of it is stored, and what to do."""
    if number_of(error) in DONE_BEFORE:
        return f"{_UNKNOWN_TABLES} ({error})"
    meaning, full = meaning_of(error), probe.full_disk()
    text = "The database refused a step." if meaning is None else meaning.text
    after = _WHOLE if connection.features.can_rollback_ddl else _HALF
    if full is not None:
        text = f"{full.text} {full.fix}"
    return f"{text} {after if started else _NONE} ({error})"
