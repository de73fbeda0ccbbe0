"""``manage.py import_conversations FILE...``: OpenAI chat JSON or JSONL, all or nothing."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db import transaction

from conversations.domain.chat_json import ChatConversation, read_chat_file
from conversations.transfers import import_chat
from ctxadmin.accounts.models import Workspace
from ctxadmin.accounts.services import default_workspace, system_actor
from ctxadmin.lib.errors import ContextError
from ctxadmin.storage.commands import ReadyCommand

_EVERY = 100


class Command(ReadyCommand):
    help = "Import conversations in the OpenAI chat format: all, or none if a line is invalid."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path)
        parser.add_argument("--workspace", default="", help="slug; default: the default workspace")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["workspace"]
        workspace = Workspace.objects.filter(slug=slug).first() if slug else default_workspace()
        if workspace is None:
            raise CommandError(f"There is no workspace {slug!r}.")
        chats = [chat for path in options["files"] for chat in self._read(path)]
        actor = system_actor(workspace, "import_conversations")
        messages = 0
        with transaction.atomic():
            for count, chat in enumerate(chats, start=1):
                messages += import_chat(actor, chat).log_count
                if count % _EVERY == 0 or count == len(chats):
                    self.stdout.write(f"{count} of {len(chats)} conversations, {messages} messages")
        self.stdout.write(self.style.SUCCESS(f"Imported {len(chats)} conversations."))

    def _read(self, path: Path) -> tuple[ChatConversation, ...]:
        """The conversations of one file; CommandError names the file, the line and the field."""
        try:
            chats = read_chat_file(path.read_bytes())
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from None
        except ContextError as error:
            raise CommandError(f"{path}: {error.detail}") from None
        self.stdout.write(f"{path}: {len(chats)} conversations read")
        return chats
