"""Keeps sessions in a table of their own, and empties Django's: its rows hold keys in clear."""

import ctxadmin.web.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def _empty(apps, schema_editor):
    apps.get_model("sessions", "Session").objects.all().delete()


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_initial'),
        ('sessions', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='BrowserSession',
            fields=[
                ('session_data', models.TextField(verbose_name='session data')),
                ('expire_date', models.DateTimeField(db_index=True, verbose_name='expire date')),
                ('session_key', ctxadmin.web.fields.AsciiField(max_length=40, primary_key=True, serialize=False)),
                ('signed_in_at', models.DateTimeField(null=True)),
                ('last_used_at', models.DateTimeField()),
                ('address', ctxadmin.web.fields.AsciiField(default='', max_length=45)),
                ('browser', ctxadmin.web.fields.AsciiField(default='', max_length=20)),
                ('system', ctxadmin.web.fields.AsciiField(default='', max_length=20)),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='sessions', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'session',
                'verbose_name_plural': 'sessions',
                'abstract': False,
            },
        ),
        migrations.RunPython(_empty, migrations.RunPython.noop),
    ]
