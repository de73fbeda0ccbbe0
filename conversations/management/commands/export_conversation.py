"""``manage.py export_conversation ID``: one conversation as JSON, whole or for a provider."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from conversations.domain.formats.formats import FORMATS, OWN, provider_format
from conversations.lifecycle import transfers
from ctxadmin.accounts.models import Workspace
from ctxadmin.accounts.services import default_workspace, system_actor
from ctxadmin.lib.errors import ContextError
from ctxadmin.storage.commands import ReadyCommand


class Command(ReadyCommand):
    help = "Print a conversation as JSON: all of it, or its current view for a provider."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("conversation", help="id of the conversation")
        parser.add_argument("--workspace", default="", help="slug; default: the default workspace")
        parser.add_argument(
            "--format",
            choices=(OWN, *FORMATS),
            default=OWN,
            help="format of a provider; default: everything, to be imported again",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["workspace"]
        workspace = Workspace.objects.filter(slug=slug).first() if slug else default_workspace()
        if workspace is None:
            raise CommandError(f"There is no workspace {slug!r}.")
        actor = system_actor(workspace, "export_conversation")
        provider = provider_format(options["format"])
        try:
            document = transfers.export(actor, options["conversation"], provider)
        except ContextError as error:
            raise CommandError(error.detail) from None
        self.stdout.write(document.decode())
