"""``manage.py verify``: checks everything that is stored and lists what is damaged."""

import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from django.apps import apps
from django.core.management.base import CommandError
from django.db import connection
from django.db.models import Exists, OuterRef

from checkpoints.verification.conversation import cover_conversation, verify_conversation
from conversations.models import Conversation
from conversations.store.conversation import find_head
from conversations.store.verification import DataFault, Unsummed
from ctxadmin.accounts.models import Workspace
from ctxadmin.accounts.services import default_workspace
from ctxadmin.lib.errors import NotFound
from ctxadmin.storage.commands import ReadyCommand

_PAGE: Final = 200
_TOLD_EVERY: Final = 10.0  # seconds
_MOST_ORPHANS: Final = 20
# The tables of conversations; each has the key of its conversation in the first column.
_TABLES: Final = {
    "conversations": (
        "Message",
        "Mark",
        "Pin",
        "Recall",
        "UnsettledCall",
        "Revision",
        "Move",
        "Comment",
        "ConversationDetails",
    ),
    "checkpoints": (
        *(
            "Execution",
            "Checkpoint",
            "CheckpointDetails",
            "Usage",
            "TaskWrites",
            "StateKey",
            "StateValue",
            "ExecutionDetails",
            "Label",
            "Claim",
            "PendingEdit",
        ),
    ),
}


class Command(ReadyCommand):
    help = (
        "Check all conversations, or one: rows, gaps, checksums, digests, references, audit "
        "chains. The server can run meanwhile. The exit code is 1 if anything is damaged."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--conversation", default="", metavar="ID", help="only this conversation"
        )
        parser.add_argument(
            "--workspace",
            default="",
            help="slug; default: all, or with --conversation the default one",
        )
        parser.add_argument(
            "--after", type=int, default=0, metavar="KEY", help="continue where a run was stopped"
        )
        parser.add_argument(
            "--add-sums",
            action="store_true",
            help="add checksums to rows that have none, where nothing is damaged",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self._add_sums = bool(options["add_sums"])
        self._unsummed = Unsummed()
        self._damaged = self._count = self._added = 0
        workspace = self._workspace(options["workspace"], one=bool(options["conversation"]))
        if options["conversation"]:
            self._verify(self._head(workspace, options["conversation"]))
        else:
            self._verify_all(workspace, options["after"])
        self._print_summary()

    def _workspace(self, slug: str, *, one: bool) -> Workspace | None:
        if not slug:
            return default_workspace() if one else None
        found = Workspace.objects.filter(slug=slug).first()
        if found is None:
            raise CommandError(f"There is no workspace {slug!r}.")
        return found

    def _head(self, workspace: Workspace | None, public_id: str) -> Conversation:
        try:
            return find_head(workspace.key if workspace else 0, public_id)
        except NotFound as error:
            raise CommandError(error.detail) from None

    def _verify_all(self, workspace: Workspace | None, after: int) -> None:
        rows = Conversation.objects.all()
        if workspace is not None:
            rows = rows.filter(workspace=workspace.key)
        total = rows.filter(key__gt=after).count()
        last_report = time.monotonic()
        while keys := list(rows.filter(key__gt=after).order_by("key").values_list("key")[:_PAGE]):
            for (key,) in keys:
                head = Conversation.objects.filter(key=key).first()
                if head is not None:
                    self._verify(head)
                after = key
                if time.monotonic() - last_report > _TOLD_EVERY:
                    last_report = time.monotonic()
                    self.stdout.write(f"{self._count} of {total}; continue with --after {after}")
                    self.stdout.flush()
        if workspace is None:
            self._verify_orphans()

    def _verify(self, head: Conversation) -> None:
        """Verifies one conversation, as of one moment."""
        self._count += 1
        with one_moment():
            seen = Conversation.objects.filter(key=head.key).first()
            if seen is None:
                return  # it was erased meanwhile
            found = list(verify_conversation(seen, self._unsummed))
        if found:
            self._damaged += 1
            self._print_findings(f"conversation {head.public_id} {{{head.key}}}", found)
        elif self._add_sums:
            self._added += cover_conversation(head.key)

    def _verify_orphans(self) -> None:
        """Finds rows of missing conversations; an erasure removes both in one transaction."""
        heads = Conversation.objects.filter(key=OuterRef("conversation"))
        for label, names in _TABLES.items():
            for name in names:
                rows = apps.get_model(label, name).objects.filter(~Exists(heads))
                keys = rows.order_by().values_list("conversation", flat=True).distinct()
                for key in keys[:_MOST_ORPHANS]:
                    self._damaged += 1
                    self._print_findings(
                        f"{name} rows of {{{key}}}", [DataFault("conversation", "is missing")]
                    )

    def _print_findings(self, whose: str, found: Sequence[DataFault]) -> None:
        for each in found:
            self.stderr.write(f"{whose}: {each.what} {each.problem}")

    def _print_summary(self) -> None:
        left = self._unsummed.rows - self._added
        if self._added:
            self.stdout.write(f"{self._added} checksums added")
        if left:
            self.stdout.write(
                f"{left} rows have no checksum and were checked without it; "
                "verify --add-sums adds it"
            )
        if self._damaged:
            raise CommandError(f"{self._count} conversations: {self._damaged} are damaged.")
        self.stdout.write(f"{self._count} conversations: nothing is damaged.")


@contextmanager
def one_moment() -> Iterator[None]:
    """Makes all reads see the database as of now, without blocking writers."""
    if connection.in_atomic_block:  # of a caller, whose moment it is
        yield
        return
    with connection.cursor() as cursor:
        if connection.vendor == "mysql":
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            cursor.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
        else:
            cursor.execute("BEGIN")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ROLLBACK")
