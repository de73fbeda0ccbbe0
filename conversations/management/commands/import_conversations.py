"""``manage.py import_conversations FILE...``: conversations of other programs, all or nothing."""

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db import transaction

from conversations.domain.imports.report import ImportNote, ImportReport, merge_reports
from conversations.domain.imports.shapes import EXPORT_NAME, NAMES, TITLES
from conversations.domain.imports.uploads import Importable, read_upload, report_of
from conversations.lifecycle.transfers import import_one
from ctxadmin.accounts.models import Workspace
from ctxadmin.accounts.services import default_workspace, system_actor
from ctxadmin.lib.errors import ContextError
from ctxadmin.storage.commands import ReadyCommand

_EVERY = 100


class Command(ReadyCommand):
    help = "Import conversations from JSON or JSONL: all, or none if a line is invalid."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path)
        parser.add_argument("--workspace", default="", help="slug; default: the default workspace")
        parser.add_argument(
            "--shape",
            choices=sorted((*NAMES, EXPORT_NAME)),
            help="the only format to try; default: recognized by the structure",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["workspace"]
        workspace = Workspace.objects.filter(slug=slug).first() if slug else default_workspace()
        if workspace is None:
            raise CommandError(f"There is no workspace {slug!r}.")
        sources = [
            source for path in options["files"] for source in self._read(path, options["shape"])
        ]
        actor = system_actor(workspace, "import_conversations")
        messages = 0
        with transaction.atomic():
            for count, source in enumerate(sources, start=1):
                messages += import_one(actor, source).log_count
                if count % _EVERY == 0 or count == len(sources):
                    summary = f"{count} of {len(sources)} conversations, {messages} messages"
                    self.stdout.write(summary)
        for report in merge_reports(map(report_of, sources)):
            self._print_report(report)
        self.stdout.write(self.style.SUCCESS(f"Imported {len(sources)} conversations."))

    def _read(self, path: Path, shape: str | None) -> Sequence[Importable]:
        """Returns the conversations of one file.

        CommandError names the file, the line and the field.
        """
        try:
            sources = read_upload(path.read_bytes(), shape)
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from None
        except ContextError as error:
            raise CommandError(f"{path}: {error.detail}") from None
        self.stdout.write(f"{path}: {len(sources)} conversations read")
        return sources

    def _print_report(self, report: ImportReport) -> None:
        """Prints the report of one shape."""
        self.stdout.write(
            f"{TITLES[report.shape]}: conversations: {report.conversations}, messages: "
            f"{report.messages}, calls: {report.calls}, results: {report.results}"
        )
        for each in report.taken:
            self.stdout.write(f"  {each.source} -> {each.target}: {each.count}")
        self._print_notes("left out", report.left_out, report.left_out_count)
        self._print_notes("warnings", report.warnings, report.warning_count)

    def _print_notes(self, title: str, notes: Sequence[ImportNote], total: int) -> None:
        if total:
            self.stdout.write(f"  {title}: {total}")
        for note in notes:
            line = "" if note.line is None else f"line {note.line}, "
            where = f"{line}{note.pointer or 'the whole value'}"
            self.stdout.write(f"    {note.what}: {note.why} ({note.count}, first at {where})")
