"""Django's schema editor for MySQL, which can repeat an interrupted operation."""

from typing import Any, Final

from django.db.backends.mysql.schema import DatabaseSchemaEditor
from django.db.utils import Error

from ctxadmin.storage.database.errors import number_of

# What a statement says that was executed before: a table, column, or key that is there already, or
# is not there any more; for MariaDB a foreign key of the same name is a 1005, or a 1826.
DONE_BEFORE: Final = frozenset({1005, 1050, 1051, 1054, 1060, 1061, 1068, 1091, 1146, 1826})


class ResumingSchemaEditor(DatabaseSchemaEditor):
    """Skips statements that were executed before, as long as ``repeats`` is set.

    Each statement of MySQL's schema is atomic, and not part of a transaction. The comparison at the
    end finds anything skipped by mistake.
    """

    repeats = False

    def execute(self, sql: Any, params: Any = ()) -> None:
        try:
            super().execute(sql, params)
        except Error as error:
            if not self.repeats or number_of(error) not in DONE_BEFORE:
                raise

    def execute_deferred(self) -> None:
        """Runs what Django defers to the end: indexes and foreign keys of new tables."""
        deferred, self.deferred_sql = self.deferred_sql, []
        for statement in deferred:
            self.execute(statement, None)
