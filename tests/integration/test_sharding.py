"""The schema lets conversations be spread over machines (docs/explanation/sharding.md)."""

import pytest
from django.apps import apps
from django.db.models import Model

from tests.integration.sharding import COLUMNS, names_the_conversation

# Tables of people, tokens, workflows and of Django: few rows, which stay on one machine.
ELSEWHERE = ("accounts", "admin", "auth", "axes", "contenttypes", "sessions", "workflows")
FEW = (
    "checkpoints.Maintenance",
    "checkpoints.Retention",
    "audit.AuditAnchor",
    "audit.AuditCheck",
    "notifications.Webhook",
    "notifications.Choice",
    "bulk.BulkJob",
)
RUN_TIME = [
    model
    for model in apps.get_models()
    if model._meta.app_label not in ELSEWHERE and model._meta.label not in FEW
]
# Unique over all machines only by an index of its own, or by chance.
UNIQUE_ELSEWHERE = {("workspace", "public_id"), ("public_id",)}


@pytest.mark.parametrize("model", RUN_TIME, ids=lambda model: model._meta.label)
def test_the_primary_key_of_a_run_time_table_starts_with_the_conversation(
    model: type[Model],
) -> None:
    assert model._meta.pk_fields[0].name == COLUMNS[model._meta.label]


@pytest.mark.parametrize("model", RUN_TIME, ids=lambda model: model._meta.label)
def test_what_is_unique_is_unique_within_a_conversation(model: type[Model]) -> None:
    column = COLUMNS[model._meta.label]
    unique = {tuple(constraint.fields) for constraint in model._meta.total_unique_constraints}
    unique |= {(field.name,) for field in model._meta.concrete_fields if field.unique}
    beside = {fields for fields in unique if column not in fields}
    assert beside <= UNIQUE_ELSEWHERE


@pytest.mark.parametrize("model", RUN_TIME, ids=lambda model: model._meta.label)
def test_run_time_tables_refer_to_no_others(model: type[Model]) -> None:
    assert not [field.name for field in model._meta.concrete_fields if field.is_relation]


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ('SELECT "a" FROM "conversations_message" WHERE "conversation" = %s', True),
        ("SELECT `a` FROM `conversations_message` WHERE `index` = %s", False),
        ("SELECT 1 FROM `audit_auditentry` WHERE (`stream`, `seq`) = (%s, %s)", True),
        ("SELECT 1 FROM `audit_auditentry` WHERE (`seq`, `workspace`) = (%s, %s)", False),
        ('UPDATE "conversations_conversation" SET "title" = %s WHERE "key" = %s', True),
        ('UPDATE "conversations_conversation" SET "key" = %s WHERE "title" = %s', False),
        ('INSERT INTO "audit_auditentry" ("stream", "seq") VALUES (%s, %s)', True),
        ('DELETE FROM "audit_auditentry"', False),
        ('SELECT 1 FROM "accounts_user"', True),
        (
            "INSERT INTO `audit_auditentry` (`stream`) VALUES (%s); "
            "UPDATE `conversations_revision` SET `batch` = %s WHERE `number` = %s",
            False,
        ),
    ],
)
def test_a_statement_without_its_conversation_is_noticed(sql: str, named: bool) -> None:
    assert names_the_conversation(sql) is named
