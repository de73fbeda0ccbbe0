"""Empties the tables after a test that commits: those that have rows, in one transaction.

Django's ``flush`` deletes from every table and looks up each permission again, which took 75 ms of
a processor after each of these tests. Content types and permissions follow from the code and stay.
"""

from functools import cache
from typing import Final

from django.db import connection, transaction

_KEPT: Final = {"django_content_type", "auth_permission"}


def clean_tables() -> None:
    """Delete all rows that a test can have made; the audit gets its first anchor again."""
    with connection.constraint_checks_disabled(), transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_rows_by_table())
            used = [table for table, has_rows in cursor.fetchall() if has_rows]
            for table in used:
                cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")
            if "search_searchdocument" in used:
                cursor.execute("DELETE FROM search_words")  # which is of no model
        _insert_first_anchor()


def _insert_first_anchor() -> None:
    """A migration makes it, and nothing is anchored without it."""
    from ctxadmin.audit.anchors import insert_anchor  # once the apps are there

    insert_anchor(None, [])


@cache
def _rows_by_table() -> str:
    """A statement that tells of each table whether it has rows."""
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    quote = connection.ops.quote_name
    return " UNION ALL ".join(
        f"SELECT '{table}', EXISTS (SELECT 1 FROM {quote(table)})"
        for table in sorted(set(tables) - _KEPT)
    )
