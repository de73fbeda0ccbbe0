import ctxadmin.storage.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('checkpoints', '0007_deleted_versions'),
    ]

    operations = [
        migrations.AddField(
            model_name='checkpoint',
            name='usage_sum',
            field=models.BigIntegerField(null=True),
        ),
        migrations.CreateModel(
            name='Usage',
            fields=[
                ('pk', models.CompositePrimaryKey('conversation', 'execution', 'version', blank=True, editable=False, primary_key=True, serialize=False)),
                ('conversation', models.BigIntegerField()),
                ('execution', models.IntegerField()),
                ('version', models.IntegerField()),
                ('workspace', models.BigIntegerField()),
                ('workflow', ctxadmin.storage.fields.AsciiField(default='', max_length=64)),
                ('workflow_version', models.IntegerField(null=True)),
                ('node_id', models.CharField(max_length=128)),
                ('model', models.CharField(default='', max_length=128)),
                ('input_tokens', models.IntegerField()),
                ('cached_tokens', models.IntegerField()),
                ('cache_write_tokens', models.IntegerField()),
                ('output_tokens', models.IntegerField()),
                ('cost', models.BigIntegerField(null=True)),
                ('day', ctxadmin.storage.fields.AsciiField(max_length=10)),
            ],
            options={
                'indexes': [models.Index(fields=['workspace', 'day'], name='usage_by_day')],
            },
        ),
    ]
