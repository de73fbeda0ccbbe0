"""Webhooks, notification preferences, and the deliveries of notifications."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from ctxadmin.accounts.models import Workspace
from ctxadmin.storage.fields import AsciiField


class Webhook(models.Model):
    """An address of an engine that is notified of a workspace's executions, or of one
    workflow's.

    Its secret is derived from ``nonce`` and the server's key that ``key_name`` names, and is not
    stored. The ``owner`` saved it last and is responsible: nothing is sent that this person or
    token has no right to see at that moment. It gets events ``since`` its creation. While it is
    ``paused`` deliveries wait; ``gone_at`` means that it was paused automatically, because the
    receiver is gone. Until ``former_until`` the former secret signs, too. ``version`` is the number
    of its changes.
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
    """A person's choice to be notified of a kind of event, with its channel and start."""

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
    """One notification of one recipient: a row of the outbox, and then its record.

    ``stream`` is the key of the conversation, or of the workspace for a test. ``id`` is derived
    from event and recipient, so that it is unique, and stays the same for every attempt.
    ``channel`` is the kind of ``target``: the id of a webhook, or the key of a user for mail and
    browser. ``version`` to ``outcome`` are of the execution at that version, as ids and words; no
    content. A waiting one is due at ``next_at``; a sender moves that forward before sending.
    ``answered`` is the status of the last answer, ``problem`` a word for what was wrong.
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
