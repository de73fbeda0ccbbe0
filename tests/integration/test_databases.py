"""The databases of a test run are set up as the product's are, and two writers really meet."""

import os
from collections.abc import Callable
from threading import Thread

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.db import connection, transaction

from ctxadmin.accounts.models import Workspace
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Role
from tests.clean_tables import clean_tables
from tests.factories import conversation, member, person, user


def ask(question: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(question)
        row = cursor.fetchone()
    return row[0]


def in_a_thread(work: Callable[[], object]) -> None:
    """Run it on a connection of its own, as another request does."""

    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = Thread(target=run)
    thread.start()
    thread.join()


def test_a_run_has_the_database_that_it_asked_for() -> None:
    wanted = os.environ.get("CTXADMIN_TEST_DATABASE", "sqlite")
    assert connection.vendor == {"mariadb": "mysql"}.get(wanted, wanted)


@pytest.mark.only("sqlite")
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("pragma", "value"),
    [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1)],
)
def test_sqlite_is_a_file_with_the_settings_of_the_product(pragma: str, value: object) -> None:
    assert ask(f"PRAGMA {pragma}") == value


@pytest.mark.only("mysql")
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("innodb_flush_log_at_trx_commit", 1),
        ("max_allowed_packet", 64 * 1024**2),
        ("tx_isolation", "READ-COMMITTED"),
        ("character_set_connection", "utf8mb4"),
    ],
)
def test_mariadb_has_the_settings_of_the_product(variable: str, value: object) -> None:
    assert ask(f"SELECT @@{variable}") == value


@pytest.mark.django_db(transaction=True)
def test_another_connection_sees_what_was_committed_and_not_what_was_not() -> None:
    seen: list[int] = []

    def look() -> None:
        seen.append(Workspace.objects.filter(slug="fresh").count())

    with transaction.atomic():
        Workspace.objects.create(slug="fresh", name="Fresh")
        in_a_thread(look)
    in_a_thread(look)
    assert seen == [0, 1]


@pytest.mark.django_db(transaction=True)
def test_clean_tables_have_what_follows_from_the_code_and_the_first_anchor() -> None:
    conversation(user("committed"), actor=person_of_a_group())
    clean_tables()
    rows = {
        model._meta.label: model._default_manager.count()
        for model in apps.get_models(include_auto_created=True)
    }
    kept = {label for label, count in rows.items() if count}
    assert kept == {"contenttypes.ContentType", "auth.Permission", "audit.AuditAnchor"}
    assert rows["audit.AuditAnchor"] == 1


def person_of_a_group() -> Actor:
    """Whose rows name others, also by tables between two models."""
    made = member("rita", Role.ADMIN)
    group = Group.objects.create(name="readers")
    group.permissions.add(*Permission.objects.all()[:2])
    made.groups.add(group)
    return person(Role.ADMIN)
