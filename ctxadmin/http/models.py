"""The answers that are stored for repeated requests."""

from django.db import models

from ctxadmin.storage.fields import AsciiField, JsonBytesField


class KeptAnswer(models.Model):
    """The answer to one request with an ``Idempotency-Key``, in the shard of what it changed.

    ``call`` is the digest of caller, method, path and key; ``body`` that of the request's body. It
    is stored for at least 24 hours; ``created_at`` is by the clock of the database. ``about`` is
    the key of the conversation whose content the answer has, if that is not ``stream``.
    """

    pk = models.CompositePrimaryKey("stream", "call")
    stream = models.BigIntegerField()
    call = AsciiField(max_length=64)
    body = AsciiField(max_length=64)
    status = models.SmallIntegerField(default=0)
    headers = models.JSONField(default=dict)
    answer = JsonBytesField(default=b"")
    created_at = models.DateTimeField(db_index=True)
    about = models.BigIntegerField(null=True, db_index=True)

    def __str__(self) -> str:
        return f"{self.call[:8]} -> {self.status}"
