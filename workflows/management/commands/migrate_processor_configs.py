"""``manage.py migrate_processor_configs``: converts context-processor configs of version 1."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
from django.core.management.base import CommandError
from pydantic import JsonValue

from conversations.domain.configs import is_version_1
from conversations.domain.legacy import RuleReport, migrate, needs_decision
from ctxadmin.accounts.models import Workspace
from ctxadmin.accounts.services import default_workspace, system_actor
from ctxadmin.lib.errors import ContextError
from ctxadmin.lib.json_bytes import loads_strict
from ctxadmin.storage.commands import ReadyCommand
from workflows.domain.document.graph import read
from workflows.models import Workflow
from workflows.services.use_cases import save_draft


class Command(ReadyCommand):
    help = (
        "Convert context-processor configs of version 1: in the drafts of all workflows, or in "
        "JSON files, and print the result. Rules that need a decision are listed, not changed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="*", type=Path, help="JSON files with one config each")
        parser.add_argument("--workspace", default="", help="slug; default: the default workspace")
        parser.add_argument(
            "--dry-run", action="store_true", help="only list what would be converted"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["files"]:
            for path in options["files"]:
                self._file(path)
            return
        slug = options["workspace"]
        workspace = Workspace.objects.filter(slug=slug).first() if slug else default_workspace()
        if workspace is None:
            raise CommandError(f"There is no workspace {slug!r}.")
        found = 0
        for row in Workflow.objects.for_workspace(workspace.key).exclude(slug=None):
            found += self._draft(row, workspace, dry_run=options["dry_run"])
        if not found:
            self.stdout.write("No draft has a config of version 1.")

    def _file(self, path: Path) -> None:
        try:
            config, report = migrate(loads_strict(path.read_bytes()))
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from None
        except ContextError as error:
            raise CommandError(f"{path}: {error.detail}") from None
        self._print_report(str(path), report)
        self.stdout.write(orjson.dumps(config, option=orjson.OPT_INDENT_2).decode())

    def _draft(self, row: Workflow, workspace: Workspace, *, dry_run: bool) -> int:
        """Returns how many configs of version 1 the draft has; converts those that can be."""
        document = orjson.loads(bytes(row.draft))
        old = list(_old_nodes(document))
        converted = 0
        for node in old:
            config, report = migrate(node["config"])
            self._print_report(f"{row.slug}, node {node['id']}", report)
            if config is not None and not needs_decision(report):
                node["config"] = config
                converted += 1
        if converted and not dry_run:
            actor = system_actor(workspace, "migrate_processor_configs")
            saved = save_draft(actor, str(row.slug), read(document), row.draft_version)
            version = saved.workflow.draft_version
            self.stdout.write(f"{row.slug}: draft {version} has {converted} converted configs")
        return len(old)

    def _print_report(self, where: str, report: tuple[RuleReport, ...]) -> None:
        for line in report:
            rule = "config" if line.rule is None else f"rule {line.rule}"
            self.stdout.write(f"{where}: {rule}: {line.result}: {line.message}")


def _old_nodes(document: dict[str, Any]) -> Iterator[dict[str, JsonValue]]:
    """Returns the context-processor nodes of a stored draft whose config is of version 1."""
    for node in document.get("nodes", ()):
        if node.get("type") == "context_processor" and is_version_1(node.get("config")):
            yield node
