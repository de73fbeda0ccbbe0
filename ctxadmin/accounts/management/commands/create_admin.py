"""``manage.py create_admin``: creates the first admin; prints the password once."""

import os
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from ctxadmin.accounts.services import create_admin


class Command(BaseCommand):
    help = "Create the first admin, unless there is one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--name", default="admin")

    def handle(self, *args: Any, **options: Any) -> None:
        path = settings.DATA_DIR / "first_password"
        password = create_admin(options["name"])
        if password is None:
            self.stdout.write("There already is an admin.")
            return
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(f"{options['name']} {password}\n")
        self.stdout.write(f"Admin {options['name']!r} with the password {password}")
        self.stdout.write(f"It is also stored in {path} until you change it on your account page.")
