"""Moves what may be large in a conversation's head to a row of its own.

The column is renamed before it is copied: from then on no server of the release before can write,
or read, a head, so that nothing is written that would be lost.
"""

import ctxadmin.web.fields
from django.db import migrations, models, transaction

_ROWS = 100  # in a transaction: each has up to 2 MB


def _copy(apps, schema_editor):
    _in_parts(
        schema_editor.connection,
        "INSERT INTO conversations_conversationdetails (conversation, metadata, tools)"
        " SELECT {key}, former_metadata, tools FROM conversations_conversation"
        " WHERE {key} > %s AND {key} <= %s AND NOT EXISTS"
        " (SELECT 1 FROM conversations_conversationdetails WHERE conversation = {key})",
    )


def _copy_back(apps, schema_editor):
    _in_parts(
        schema_editor.connection,
        "UPDATE conversations_conversation SET"
        " former_metadata = (SELECT d.metadata FROM conversations_conversationdetails d"
        " WHERE d.conversation = conversations_conversation.{key}),"
        " tools = (SELECT d.tools FROM conversations_conversationdetails d"
        " WHERE d.conversation = conversations_conversation.{key})"
        " WHERE {key} > %s AND {key} <= %s",
    )


def _in_parts(connection, text):
    """Run a statement over ranges of keys, each in a transaction; it can be run again."""
    key = connection.ops.quote_name("key")
    last = -(2**63)
    while True:
        with transaction.atomic(connection.alias), connection.cursor() as cursor:
            cursor.execute(
                f"SELECT MAX({key}) FROM (SELECT {key} FROM conversations_conversation"  # noqa: S608
                f" WHERE {key} > %s ORDER BY {key} LIMIT {_ROWS}) part",
                [last],
            )
            (upto,) = cursor.fetchone()
            if upto is None:
                return
            cursor.execute(text.format(key=key), [last, upto])
        last = upto


class Migration(migrations.Migration):
    dependencies = [("conversations", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="ConversationDetails",
            fields=[
                ("conversation", models.BigIntegerField(primary_key=True, serialize=False)),
                ("metadata", ctxadmin.web.fields.JsonBytesField(default=b"{}")),
                ("tools", models.TextField(default="")),
            ],
        ),
        migrations.RenameField("conversation", "metadata", "former_metadata"),
        migrations.RunPython(_copy, _copy_back, atomic=False),
        migrations.RemoveField(model_name="conversation", name="former_metadata"),
        migrations.RemoveField(model_name="conversation", name="tools"),
    ]
