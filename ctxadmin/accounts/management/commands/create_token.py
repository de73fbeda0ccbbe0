"""``manage.py create_token``: prints a new engine token and nothing else."""

import re
from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import CommandError

from ctxadmin.accounts.models import Workspace
from ctxadmin.accounts.services import create_token, default_workspace, system_actor
from ctxadmin.identity.roles import Scope
from ctxadmin.storage.commands import ReadyCommand

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def lifetime(text: str) -> timedelta:
    """Returns ``90d``, ``12h`` or ``30m`` as a duration."""
    match = re.fullmatch(r"([1-9][0-9]{0,4})([mhd])", text)
    if match is None:
        raise CommandError("--expires must be a number and m, h or d, for example 90d.")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


class Command(ReadyCommand):
    help = "Create an engine token and print it. It is not shown again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--name", required=True)
        parser.add_argument("--scopes", default="engine", help="engine,review,design,admin")
        parser.add_argument("--workspace", default="", help="slug; default: the default workspace")
        parser.add_argument("--expires", default="", help="for example 90d, 12h, 30m")

    def handle(self, *args: Any, **options: Any) -> None:
        known = {scope.value for scope in Scope}
        scopes = [word.strip() for word in options["scopes"].split(",") if word.strip()]
        for word in scopes:
            if word not in known:
                raise CommandError(
                    f"There is no scope {word!r}; known: {', '.join(sorted(known))}."
                )
        slug = options["workspace"]
        workspace = Workspace.objects.filter(slug=slug).first() if slug else default_workspace()
        if workspace is None:
            raise CommandError(f"There is no workspace {slug!r}.")
        expires = options["expires"]
        made = create_token(
            system_actor(workspace, "create_token"),
            options["name"],
            [Scope(word) for word in scopes],
            lifetime=lifetime(expires) if expires else None,
        )
        self.stdout.write(made.secret)
