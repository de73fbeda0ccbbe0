"""Adds the indexes by which the audit page filters, and the outcomes of verifications."""

import ctxadmin.storage.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('audit', '0004_remove_reason'),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditCheck',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('at', models.DateTimeField()),
                ('streams', models.BigIntegerField()),
                ('broken', models.BigIntegerField()),
                ('anchor', models.IntegerField()),
                ('key_name', ctxadmin.storage.fields.AsciiField(max_length=8)),
                ('hash', ctxadmin.storage.fields.AsciiField(max_length=64)),
            ],
        ),
        migrations.AddIndex(
            model_name='auditentry',
            index=models.Index(fields=['workspace', 'actor_name', '-at'], name='audit_by_actor'),
        ),
        migrations.AddIndex(
            model_name='auditentry',
            index=models.Index(fields=['workspace', 'action', '-at'], name='audit_by_action'),
        ),
        migrations.AddIndex(
            model_name='auditentry',
            index=models.Index(fields=['workspace', 'object_id', '-at'], name='audit_by_object'),
        ),
    ]
