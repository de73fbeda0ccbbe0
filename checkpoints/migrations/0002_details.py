"""Moves the metadata of executions to rows of their own, as conversations.0002_details does."""

import ctxadmin.web.fields
from django.db import migrations, models, transaction

_ROWS = 100  # in a transaction: each has up to 1 MB


def _copy(apps, schema_editor):
    _in_parts(
        schema_editor.connection,
        "INSERT INTO checkpoints_executiondetails (conversation, number, metadata)"
        " SELECT e.conversation, e.number, e.former_metadata FROM checkpoints_execution e"
        " WHERE e.conversation > %s AND e.conversation <= %s AND NOT EXISTS"
        " (SELECT 1 FROM checkpoints_executiondetails d"
        " WHERE d.conversation = e.conversation AND d.number = e.number)",
    )


def _copy_back(apps, schema_editor):
    _in_parts(
        schema_editor.connection,
        "UPDATE checkpoints_execution SET"
        " former_metadata = (SELECT d.metadata FROM checkpoints_executiondetails d"
        " WHERE d.conversation = checkpoints_execution.conversation"
        " AND d.number = checkpoints_execution.number)"
        " WHERE conversation > %s AND conversation <= %s",
    )


def _in_parts(connection, text):
    """Run a statement over ranges of conversations, each in a transaction; it can be run again."""
    last = -(2**63)
    while True:
        with transaction.atomic(connection.alias), connection.cursor() as cursor:
            cursor.execute(
                "SELECT MAX(conversation) FROM (SELECT conversation FROM checkpoints_execution"  # noqa: S608
                f" WHERE conversation > %s ORDER BY conversation LIMIT {_ROWS}) part",
                [last],
            )
            (upto,) = cursor.fetchone()
            if upto is None:
                return
            cursor.execute(text, [last, upto])
        last = upto


class Migration(migrations.Migration):
    dependencies = [("checkpoints", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="ExecutionDetails",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "conversation",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("conversation", models.BigIntegerField()),
                ("number", models.IntegerField()),
                ("metadata", ctxadmin.web.fields.JsonBytesField(default=b"{}")),
            ],
        ),
        migrations.RenameField("execution", "metadata", "former_metadata"),
        migrations.RunPython(_copy, _copy_back, atomic=False),
        migrations.RemoveField(model_name="execution", name="former_metadata"),
    ]
