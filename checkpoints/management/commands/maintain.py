"""``manage.py maintain``: applies the retention policies, for cron or a timer."""

import logging
import time
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import timedelta
from typing import Any, Final

from django.core.management.base import CommandError
from django.db import DatabaseError, connection
from django.template.defaultfilters import filesizeformat

from checkpoints.maintenance.lock import MaintenanceRunning, hold_lock, last_run
from checkpoints.maintenance.run import (
    MaintenancePart,
    MaintenanceReport,
    MaintenanceScope,
    maintain,
)
from ctxadmin.accounts.models import Workspace
from ctxadmin.lib import clock
from ctxadmin.storage.commands import ReadyCommand

_log = logging.getLogger("ctxadmin.checkpoints")

_FAILED: Final = 1
_BUSY: Final = 75  # EX_TEMPFAIL of sysexits.h: try again later
_LOOK_SECONDS: Final = 600.0


class Command(ReadyCommand):
    help = "Apply the retention policies: archive, erase and thin; remove what has expired."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--dry-run", action="store_true", help="only list what would be removed"
        )
        parser.add_argument("--workspace", default="", metavar="SLUG", help="only this workspace")
        parser.add_argument(
            "--only",
            action="append",
            choices=[part.value for part in MaintenancePart],
            help="only this part; can be repeated",
        )
        parser.add_argument("--every", type=float, metavar="SECONDS", help="repeat until stopped")

    def handle(self, *args: Any, every: float | None = None, **options: Any) -> None:
        if every is None:
            wanted = self._scope_of(options, self.stdout.write)
            self._print_report(wanted, self._once(wanted))
        else:
            self._repeat(options, timedelta(seconds=every))

    def _scope_of(
        self, options: Mapping[str, Any], say: Callable[[str], object]
    ) -> MaintenanceScope:
        workspaces = Workspace.objects.order_by("slug")
        if options["workspace"]:
            workspaces = workspaces.filter(slug=options["workspace"])
            if not workspaces:
                raise CommandError(f"There is no workspace {options['workspace']!r}.")
        parts = frozenset(map(MaintenancePart, options["only"] or MaintenancePart))
        return MaintenanceScope(parts, list(workspaces), bool(options["dry_run"]), say)

    def _once(self, wanted: MaintenanceScope) -> MaintenanceReport:
        if wanted.dry_run:
            return maintain(wanted)
        try:
            with hold_lock() as holding:
                report = maintain(wanted, holding)
                holding.report = asdict(report)
        except MaintenanceRunning as busy:
            until = (
                f" or was killed, which is known after {clock.iso(busy.until)}"
                if busy.until
                else ""
            )
            raise CommandError(
                f"Another run is active{until}. Nothing was done.", returncode=_BUSY
            ) from None
        return report

    def _repeat(self, options: Mapping[str, Any], every: timedelta) -> None:
        """Repeats maintenance beside the embedded server.

        Logs every error and tries again later.
        """
        while True:
            try:
                last = last_run()
                if last is None or not timedelta() <= clock.now() - last[0] < every:
                    self._once(self._scope_of(options, _log.info))
            except (CommandError, DatabaseError) as error:
                _log.warning("maintenance is delayed: %s", error)
            connection.close()
            time.sleep(min(_LOOK_SECONDS, every.total_seconds()))

    def _print_report(self, wanted: MaintenanceScope, report: MaintenanceReport) -> None:
        would = "would be " if wanted.dry_run or report.only_looked else ""
        for slug, each in report.workspaces.items():
            self.stdout.write(
                f"{slug}: {each.archived} conversations {would}archived, {each.erased} {would}"
                f"erased, {each.thinned} versions {would}thinned, {each.tokens} tokens {would}"
                f"removed, {_size(each.freed)} {would}freed"
            )
        self.stdout.write(
            f"{report.answers} stored responses, {report.sessions} sessions and {report.edits}"
            f" unsaved edits {would}removed"
        )
        for name, count in report.records.items():
            self.stdout.write(f"{count} old {name} {would}removed")
        if report.only_looked:
            self.stdout.write(
                f"{report.only_looked} Nothing was removed; if the clock is right, run it again."
            )
        if report.failed:
            raise CommandError(
                f"{report.failed} failed; the next run tries again.", returncode=_FAILED
            )


def _size(count: int) -> str:
    return str(filesizeformat(count)).replace("\xa0", " ")
