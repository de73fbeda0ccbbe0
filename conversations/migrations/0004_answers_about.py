"""Tells of kept answers which conversation their call made, so that they go with it."""

from django.db import migrations

_PATH = "/api/v1/conversations/"


def _note(apps, schema_editor):
    """By where the answers lead to; there are only those of the last day."""
    answers = apps.get_model("web", "KeptAnswer").objects
    heads = apps.get_model("conversations", "Conversation").objects
    for row in answers.filter(about=None).iterator():
        place = str(row.headers.get("Location", ""))
        if not place.startswith(_PATH):
            continue
        source = heads.filter(key=row.stream).first()  # of a fork; else it is a workspace
        workspace = row.stream if source is None else source.workspace
        made = heads.filter(workspace=workspace, public_id=place.removeprefix(_PATH)).first()
        if made is not None:
            answers.filter(stream=row.stream, call=row.call).update(about=made.key)


class Migration(migrations.Migration):
    dependencies = [
        ("conversations", "0003_row_sums"),
        ("web", "0002_answers_about"),
    ]

    operations = [migrations.RunPython(_note, migrations.RunPython.noop)]
