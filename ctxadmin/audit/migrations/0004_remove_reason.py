"""Removes the column whose texts are rows of their own."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0003_first_anchor"),
    ]

    operations = [
        migrations.RemoveField(model_name="auditentry", name="reason"),
    ]
