"""Check sums of stored rows, null in those that are there already."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('checkpoints', '0002_details'),
    ]

    operations = [
        migrations.AddField(
            model_name='statekey',
            name='sum',
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='statevalue',
            name='sum',
            field=models.BigIntegerField(null=True),
        ),
    ]
