"""``manage.py serve``: everything a newcomer needs, then the server."""

import fcntl
import os
import shlex
from argparse import ArgumentParser
from threading import Thread
from typing import Any, Final

import uvicorn
from django.conf import settings
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand, CommandError

_LOOK_SECONDS: Final = 5.0


class Command(BaseCommand):
    help = "Migrate, create the first administrator and demo data, then serve."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--no-demo", action="store_true", help="leave the demo data out")

    def handle(self, *args: Any, **options: Any) -> None:
        lock = _only_server()
        self._say("Bringing the database up to date")
        call_command("migrate", interactive=False, verbosity=0)
        self._say("Looking after the administrator")
        call_command("create_admin", stdout=self.stdout)
        if not options["no_demo"] and "seed_demo" in get_commands():
            self._say("Looking after the demo data")
            call_command("seed_demo", stdout=self.stdout)
        if settings.EMBEDDED:
            _keep_time()
        host, port = options["host"], options["port"]
        self._say(f"Serving on http://{host}:{port}/ with data in {settings.DATA_DIR}")
        if "demo_engine" in get_commands():
            self._say("See an execution move, in a second terminal:")
            folder = shlex.quote(str(settings.DATA_DIR))
            self.stdout.write(
                f"   CTXADMIN_DATA_DIR={folder} .venv/bin/python manage.py demo_engine"
                f" --url http://{host}:{port}"
            )
            self.stdout.flush()
        uvicorn.run(
            "ctxadmin.asgi:application",
            host=host,
            port=port,
            log_config=None,  # as the settings say
            lifespan="off",
            proxy_headers=False,
            server_header=False,
        )
        os.close(lock)

    def _say(self, text: str) -> None:
        self.stdout.write(f"-- {text}")
        self.stdout.flush()


def _keep_time() -> None:
    """Answer reviews whose time is over, beside the server; elsewhere a timer runs the command."""
    if "answer_overdue" in get_commands():
        every = {"every": _LOOK_SECONDS}
        Thread(target=call_command, args=("answer_overdue",), kwargs=every, daemon=True).start()


def _only_server() -> int:
    """Hold the data folder's lock: two embedded servers would not hear of each other's changes.

    Commands such as ``create_token`` need no lock; they run beside the server.
    """
    handle = os.open(settings.DATA_DIR / "server.lock", os.O_RDWR | os.O_CREAT, 0o600)
    if settings.EMBEDDED:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandError(
                f"Another server runs on {settings.DATA_DIR}; stop it or choose another folder."
            ) from None
    return handle
