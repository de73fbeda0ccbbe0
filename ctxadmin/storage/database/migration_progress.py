"""Migrations that continue after an interruption, on databases that cannot roll them back.

MySQL and MariaDB commit each statement that changes tables. So the completed operations are counted
in a table, which exists during a migration: after a crash the next run skips those, and repeats the
one that was interrupted.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, cast

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import ProjectState

from ctxadmin.storage.database.mysql.schema_editor import ResumingSchemaEditor

_TABLE: Final = "ctxadmin_migration_progress"


@dataclass(frozen=True, slots=True)
class Progress:
    """The number of completed operations of a migration."""

    app: str
    name: str
    done: int


def interrupted(connection: BaseDatabaseWrapper) -> Progress | None:
    """Returns the migration that was begun and not completed, if there is one."""
    with connection.cursor() as cursor:
        if _TABLE not in connection.introspection.table_names(cursor):
            return None
        cursor.execute(
            f"SELECT app, name, done FROM {_TABLE} WHERE NOT EXISTS"  # noqa: S608
            " (SELECT 1 FROM django_migrations m"
            f" WHERE m.app = {_TABLE}.app AND m.name = {_TABLE}.name)"
        )
        found = cursor.fetchone()
    return None if found is None else Progress(*found)


class ResumingExecutor(MigrationExecutor):
    """Django's executor, which counts completed operations where they cannot be rolled back."""

    connection: BaseDatabaseWrapper
    progress_callback: Any

    def apply_migration(
        self,
        state: ProjectState,
        migration: Migration,
        fake: bool = False,
        fake_initial: bool = False,
    ) -> ProjectState:
        if fake or fake_initial or self.connection.features.can_rollback_ddl:
            return super().apply_migration(state, migration, fake, fake_initial)
        if self.progress_callback:
            self.progress_callback("apply_start", migration, fake)
        with self._counted(migration) as done, self.connection.schema_editor(atomic=False) as made:
            editor = cast(ResumingSchemaEditor, made)
            for number, operation in enumerate(migration.operations):
                step: Any = Migration(migration.name, migration.app_label)
                step.atomic, step.operations = migration.atomic, [operation]
                if number < (done or 0):
                    state = step.mutate_state(state, preserve=False)
                    continue
                editor.repeats = number == done
                state = step.apply(state, editor)
                editor.execute_deferred()
                self._count(number + 1)
            cast(Any, self).record_migration(migration)  # unknown to the stubs
        if self.progress_callback:
            self.progress_callback("apply_success", migration, fake)
        return state

    @contextmanager
    def _counted(self, migration: Migration) -> Iterator[int | None]:
        """Yields how many operations a former run completed, None without one.

        Cleared at the end.
        """
        key = (migration.app_label, migration.name)
        found = interrupted(self.connection)
        if found is not None and (found.app, found.name) == key:
            done: int | None = found.done
        else:
            done = None
            self._begin(key)
        yield done
        with self.connection.cursor() as cursor:
            cursor.execute(f"DROP TABLE {_TABLE}")

    def _begin(self, key: tuple[str, str]) -> None:
        with self.connection.cursor() as cursor:
            cursor.execute(f"DROP TABLE IF EXISTS {_TABLE}")
            cursor.execute(
                f"CREATE TABLE {_TABLE} (app varchar(255) NOT NULL, name varchar(255) NOT NULL,"
                " done integer NOT NULL)"
            )
            cursor.execute(f"INSERT INTO {_TABLE} VALUES (%s, %s, 0)", key)  # noqa: S608

    def _count(self, done: int) -> None:
        with self.connection.cursor() as cursor:
            cursor.execute(f"UPDATE {_TABLE} SET done = %s", [done])  # noqa: S608
