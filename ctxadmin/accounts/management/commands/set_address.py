"""``manage.py set_address``: sets the email address of a person."""

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.core.validators import validate_email

from ctxadmin.accounts.services import set_address
from ctxadmin.lib.errors import NotFound
from ctxadmin.storage.commands import ReadyCommand


class Command(ReadyCommand):
    help = "Set the email address of a person; without an address, remove it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="username of the person")
        parser.add_argument("address", nargs="?", default="")

    def handle(self, *args: Any, name: str, address: str, **options: Any) -> None:
        try:
            if address:
                validate_email(address)
            set_address(name, address)
        except ValidationError:
            raise CommandError(f"{address!r} is not an email address.") from None
        except NotFound as error:
            raise CommandError(error.detail) from None
        self.stdout.write(f"Emails to {name} go to {address}." if address else "Removed.")
