from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('checkpoints', '0006_task_writes'),
    ]

    operations = [
        migrations.AddField(
            model_name='checkpoint',
            name='deleted',
            field=models.BooleanField(default=False),
        ),
    ]
