"""``manage.py serve``: checks the database and the settings, then serves."""

import fcntl
import logging
import os
import shlex
import signal
import socket
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import Thread
from types import FrameType
from typing import Any, Final

import uvicorn
from django.conf import settings
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.db.utils import Error

from ctxadmin.config import environment
from ctxadmin.http import health
from ctxadmin.serving.balance import BOARD, new_board
from ctxadmin.serving.bounded_http import BoundedHttp
from ctxadmin.serving.listener import PortTaken, bind
from ctxadmin.serving.supervisor import Inherited, Supervisor
from ctxadmin.storage.database import probe, schema_probe

# Longer than a proxy or a client keeps an idle connection: whoever closes first while the other
# sends breaks a request, and a write must not be sent twice.
KEPT_OPEN_SECONDS: Final = 75
log: Final = logging.getLogger(__name__)
_LAST_SECONDS: Final = 30  # for requests in flight, when the server is told to end
_MOST_FRAME_BYTES: Final = 4096  # what is longer does not even reach the socket
_DAY_SECONDS: Final = 24 * 3600.0


class Command(BaseCommand):
    help = (
        "Serve. With the embedded database, first migrate, create the first admin and load the "
        "demo data."
    )

    # Done below: on a server after the database, whose faults are the commoner ones. They read all
    # of the program, which takes seconds on a busy machine.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--workers", type=int, default=1, help="number of processes")
        parser.add_argument("--no-demo", action="store_true", help="do not load the demo data")
        parser.add_argument(
            "--check",
            action="store_true",
            help="only check whether a server could serve with these settings",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.EMBEDDED and options["workers"] != 1:
            raise CommandError(
                "The embedded database allows one process. Set DATABASE_URL to use more."
            )
        if options["check"]:
            self._check_environment()
            self.check()
            import_module("ctxadmin.config.asgi")
            return
        inherited = Inherited.from_environment(os.environ)
        if inherited is not None:
            listener = socket.socket(fileno=inherited.listener)
            _serve(listener, options["workers"], inherited.workers)
            return
        lock = _only_server()
        listener = _listener(options["host"], options["port"])
        if settings.EMBEDDED:
            self.check()
            self._migrate()
            self._check_environment()
            self._set_up(demo=not options["no_demo"])
        else:
            self._print_line("Checking the database")
            self._check_environment()
            self.check()
        if settings.EMBEDDED:
            _run_periodic_work(f"http://{options['host']}:{options['port']}")
        self._welcome(options["host"], options["port"])
        _serve(listener, options["workers"])
        os.close(lock)

    def _migrate(self) -> None:
        """Migrates only if a migration is missing; the following check reports a full disk."""
        self._print_line("Checking the database")
        with suppress(Error):
            if not schema_probe.is_pending():
                return
        if full := probe.full_disk():
            raise CommandError(f"ctxadmin cannot serve:\n- {full.text} {full.fix}")
        self._print_line("Migrating the database")
        call_command("migrate", interactive=False, verbosity=0)

    def _set_up(self, *, demo: bool) -> None:
        self._print_line("Creating the admin")
        call_command("create_admin", stdout=self.stdout)
        if demo and "seed_demo" in get_commands():
            self._print_line("Loading demo data")
            call_command("seed_demo", stdout=self.stdout)

    def _check_environment(self) -> None:
        """Prints what could be better.

        Raises CommandError if the server could not serve correctly.
        """
        found = [each for each in health.findings() if each.level != "ok"]
        connection.close()  # workers open their own
        errors = [each for each in found if each.level == "error"]
        if errors:
            lines = "\n".join(f"- {each.text} {each.fix}" for each in errors)
            excuse = (
                "\nCTXADMIN_ALLOW_UNSAFE_DATABASE=1 starts anyway, but acknowledged changes can be"
                " lost."
            )
            may = any(each.excusable for each in errors)
            raise CommandError(f"ctxadmin cannot serve:\n{lines}{excuse if may else ''}")
        for warning in environment.unknown():
            self._print_line(f"Warning: {warning}")
        for each in found:
            self._print_line(f"Warning: {each.text} {each.fix}")

    def _welcome(self, host: str, port: int) -> None:
        if not settings.EMBEDDED:
            self._print_line(f"Serving on http://{host}:{port}/")
            return
        self._print_line(f"Serving on http://{host}:{port}/ with data in {settings.DATA_DIR}")
        if "demo_engine" in get_commands():
            self._print_line("To watch an execution, run in a second terminal:")
            folder = shlex.quote(str(settings.DATA_DIR))
            self.stdout.write(
                f"   CTXADMIN_DATA_DIR={folder} .venv/bin/python manage.py demo_engine"
                f" --url http://{host}:{port}"
            )
            self.stdout.flush()

    def _print_line(self, text: str) -> None:
        self.stdout.write(f"-- {text}")
        self.stdout.flush()


def _listener(host: str, port: int) -> socket.socket:
    """Binds the port before anything else, so that a taken port is reported at once."""
    try:
        return bind(host, port)
    except PortTaken as error:
        text = f"{error} Stop the other program, or use another port: --port {port + 1}"
        raise CommandError(text) from None
    except OSError as error:
        raise CommandError(f"Cannot listen on {host}, port {port}: {error.strerror}.") from None


def _serve(listener: socket.socket, workers: int, former: Sequence[int] = ()) -> None:
    """Serves until stopped; ``former`` are workers from before a reload."""
    config = uvicorn.Config(
        "ctxadmin.config.asgi:application",
        workers=workers,
        loop="auto" if workers == 1 else "ctxadmin.serving.loop:WorkerLoop",
        log_config=None,  # as the settings say
        http=BoundedHttp,
        lifespan="off",
        proxy_headers=bool(settings.TRUSTED_PROXIES),
        forwarded_allow_ips=settings.TRUSTED_PROXIES,
        server_header=False,
        timeout_keep_alive=KEPT_OPEN_SECONDS,
        timeout_graceful_shutdown=_LAST_SECONDS,
        ws_max_size=_MOST_FRAME_BYTES,
        ws_per_message_deflate=False,  # frames are short, and what is inflated may be long
    )
    if workers == 1:
        if not sys.stdin.isatty():  # whose closing ends it
            signal.signal(signal.SIGHUP, _stay)
        uvicorn.Server(config).run([listener])
        return
    board = Path(os.environ[BOARD]) if former else new_board()
    os.environ[BOARD] = str(board)
    try:
        check = [sys.executable, sys.argv[0], "serve", "--check"]
        Supervisor(config, listener, check, former).run()
    finally:
        board.unlink()


def _stay(number: int, frame: FrameType | None) -> None:
    """Ignores a reload: a single-process server cannot reload."""
    log.warning("A server with one process cannot be reloaded. Restart it instead.")


def _run_periodic_work(url: str) -> None:
    """Runs notifications, overdue reviews, maintenance and the indexer beside the server.

    In other deployments units of their own do it.
    """
    wanted: dict[str, dict[str, object]] = {
        "deliver": {"url": settings.PUBLIC_URL or url},
        "maintain": {"every": _DAY_SECONDS},
        "search_index": {},
    }
    for command, options in wanted.items():
        if command in get_commands():
            Thread(target=call_command, args=(command,), kwargs=options, daemon=True).start()


def _only_server() -> int:
    """Holds the lock of the data folder: two embedded servers would miss each other's changes.

    Commands such as ``create_token`` need no lock; they run beside the server.
    """
    handle = os.open(settings.DATA_DIR / "server.lock", os.O_RDWR | os.O_CREAT, 0o600)
    if settings.EMBEDDED:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandError(
                f"Another server uses {settings.DATA_DIR}. Stop it, or use another folder."
            ) from None
    return handle
