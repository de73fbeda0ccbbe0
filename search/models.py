"""The index: which texts are in it, and how far it follows the changes of a workspace.

Their terms are in ``search_words``, a full text table that each database makes in its own way (see
``words``). Nothing here is the truth: whatever is shown is read again where it was written.
"""

from typing import ClassVar

from django.db import models

from ctxadmin.storage.fields import AsciiField


class SearchDocument(models.Model):
    """One indexed text, at its place.

    ``id`` rises with the time of the text (see ``document_ids``), so that the newest hits are the
    first that the index gives. ``kind`` is a Kind; ``role`` is that of a message. ``index`` is a
    log index, ``execution`` and ``version`` name a checkpoint, ``number`` is that of a revision, a
    move or a comment, ``key`` the digest of a state key. ``about`` is what a reason belongs to:
    ``revision``, ``move`` or ``version``.
    """

    pk = models.CompositePrimaryKey("workspace", "id")
    workspace = models.BigIntegerField()
    id = models.BigIntegerField()
    conversation = models.BigIntegerField()
    kind = AsciiField(max_length=12)
    role = AsciiField(max_length=9, default="")
    about = AsciiField(max_length=8, default="")
    index = models.IntegerField(null=True)
    execution = models.IntegerField(null=True)
    version = models.IntegerField(null=True)
    number = models.BigIntegerField(null=True)
    key = AsciiField(max_length=32, default="")

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["conversation", "kind"], name="search_of_conversation"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


class SearchMark(models.Model):
    """How much of a conversation is indexed: everything up to its change ``seq``.

    ``messages`` and ``revisions`` are the numbers of those that are in, ``move`` and ``comment``
    the last of each, ``execution`` and ``version`` the last version; ``title`` is a digest of title
    and id. An ``erased`` one refuses whoever indexes the conversation meanwhile.
    """

    conversation = models.BigIntegerField(primary_key=True)
    workspace = models.BigIntegerField()
    seq = models.BigIntegerField(default=-1)
    messages = models.IntegerField(default=0)
    revisions = models.IntegerField(default=0)
    move = models.BigIntegerField(default=-1)
    comment = models.BigIntegerField(default=-1)
    execution = models.IntegerField(default=-1)
    version = models.IntegerField(default=-1)
    title = AsciiField(max_length=32, default="")
    erased = models.BooleanField(default=False)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["workspace", "erased"], name="search_erased"),
        ]

    def __str__(self) -> str:
        return f"{self.conversation} up to {self.seq}"


class SearchProgress(models.Model):
    """How far the index of a workspace follows its feed: up to the position ``cursor``.

    A new index first walks through all conversations, latest first: those below ``walk`` are still
    to be looked at; null when none are. ``total`` is how many there were then, ``walked`` how many
    of them are done.
    """

    workspace = models.BigIntegerField(primary_key=True)
    cursor = models.BigIntegerField(default=0)
    walk = models.BigIntegerField(null=True)
    walked = models.IntegerField(default=0)
    total = models.IntegerField(default=0)

    def __str__(self) -> str:
        return f"index of {self.workspace}"
