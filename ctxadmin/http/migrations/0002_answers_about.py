"""Which conversation a kept answer is about, so that it can go with it."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('web', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='keptanswer',
            name='about',
            field=models.BigIntegerField(db_index=True, null=True),
        ),
    ]
