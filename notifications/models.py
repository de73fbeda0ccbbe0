"""Who is to be told of what, and the deliveries that tell it."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from ctxadmin.accounts.models import Workspace
from ctxadmin.storage.fields import AsciiField


class Webhook(models.Model):
    """An address of an engine that is told of executions of a workspace, of one workflow if named.

    Its secret is derived of ``nonce`` and the server's key that ``key_name`` names, and is kept
    nowhere. The ``owner`` saved it last and answers for it: nothing is sent that this person or
    token may not see at that moment. It hears of what happened ``since`` it was made. While it is
    ``paused`` deliveries wait; ``gone_at`` says that it paused by itself, as nobody was there any
    more. Until ``former_until`` the secret before signs, too. ``version`` is the number of its
    changes.
    """

    public_id = AsciiField(max_length=24, primary_key=True)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=100)
    url = models.TextField()
    kinds = models.JSONField(default=list)
    workflow = AsciiField(max_length=64, default="")
    nonce = AsciiField(max_length=64)
    key_name = AsciiField(max_length=16)
    former_nonce = AsciiField(max_length=64, default="")
    former_key_name = AsciiField(max_length=16, default="")
    former_until = models.DateTimeField(null=True)
    owner_kind = AsciiField(max_length=8)
    owner_id = AsciiField(max_length=64)
    owner = models.CharField(max_length=160)
    paused = models.BooleanField(default=False)
    gone_at = models.DateTimeField(null=True)
    version = models.IntegerField(default=0)
    since = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class Choice(models.Model):
    """That a person of a workspace wants to hear of a kind of thing, and how, since when."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    kind = AsciiField(max_length=32)
    mail_since = models.DateTimeField(null=True)
    browser_since = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["workspace", "user", "kind"], name="one_choice_for_a_kind"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} hears of {self.kind}"


class Delivery(models.Model):
    """One thing to be told to one who asked for it: a row of the outbox, and then its record.

    ``stream`` is the key of the conversation, or of the workspace for a test. ``id`` is made of
    what is told and to whom, so that telling twice is once, and stays the same however often it
    is tried. ``channel`` says what ``target`` is: the id of a webhook, or the key of a user for
    mail and browser. ``version`` to ``outcome`` are of the execution at that version, as ids and
    words; no content. A waiting one is due at ``next_at``; who takes it moves that on before
    sending. ``answered`` is the status of the last answer, ``problem`` a word for what was wrong.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        SENT = "sent"
        DEAD = "dead"

    pk = models.CompositePrimaryKey("stream", "id")
    stream = models.BigIntegerField()
    id = AsciiField(max_length=32)
    workspace = models.BigIntegerField()
    channel = AsciiField(max_length=8)
    target = AsciiField(max_length=24)
    kind = AsciiField(max_length=32)
    conversation_id = AsciiField(max_length=64, default="")
    execution = AsciiField(max_length=32, default="")
    workflow = AsciiField(max_length=64, default="")
    version = models.IntegerField(null=True)
    status = AsciiField(max_length=16, default="")
    node_id = models.CharField(max_length=128, default="")
    outcome = AsciiField(max_length=8, default="")
    at = models.DateTimeField()
    state = AsciiField(max_length=8, default=State.WAITING)
    attempts = models.IntegerField(default=0)
    next_at = models.DateTimeField(null=True)
    answered = models.IntegerField(null=True)
    problem = AsciiField(max_length=16, default="")
    changed_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["state", "next_at"], name="delivery_due"),
            models.Index(fields=["target", "-at"], name="delivery_of_target"),
            models.Index(fields=["changed_at"], name="delivery_oldest"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"
