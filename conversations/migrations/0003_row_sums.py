"""Check sums of stored rows, null in those that are there already."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('conversations', '0002_details'),
    ]

    operations = [
        migrations.AddField(
            model_name='message',
            name='sum',
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='revision',
            name='grown_sum',
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='revision',
            name='sum',
            field=models.BigIntegerField(null=True),
        ),
    ]
