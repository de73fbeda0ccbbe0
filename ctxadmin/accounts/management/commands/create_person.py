"""``manage.py create_person``: adds a person; prints the first password once."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from ctxadmin.accounts.people import NewPersonRequest, add_person
from ctxadmin.accounts.services import default_workspace, system_actor
from ctxadmin.identity.roles import Role
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import Duplicate, ValidationFailed
from ctxadmin.storage.commands import ReadyCommand


class Command(ReadyCommand):
    help = "Add a person and print the first password, which they have to change."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="username of the person")
        parser.add_argument("--role", choices=[role.value for role in Role], default="reviewer")

    def handle(self, *args: Any, name: str, role: str, **options: Any) -> None:
        actor = system_actor(default_workspace(), "create_person")
        try:
            wanted = parse(NewPersonRequest, {"name": name, "role": role})
            made = add_person(actor, wanted.name, Role(wanted.role))
        except (Duplicate, ValidationFailed) as error:
            raise CommandError(error.detail) from None
        self.stdout.write(made.password)
