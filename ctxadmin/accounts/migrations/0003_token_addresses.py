"""Keeps the addresses that tokens were used from."""

import ctxadmin.web.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0002_browser_sessions'),
    ]

    operations = [
        migrations.AddField(
            model_name='enginetoken',
            name='address_added_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='enginetoken',
            name='addresses',
            field=ctxadmin.web.fields.AsciiField(blank=True, default='', max_length=400),
        ),
    ]
