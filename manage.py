#!/usr/bin/env python
"""The command line of ctxadmin."""

import os
import select
import sys
from contextlib import nullcontext

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db.utils import Error


def main(arguments: list[str]) -> None:
    """Runs a command; commands wait long for the database, a server does not."""
    # Not before: it reads the settings.
    from ctxadmin.storage.database.command_timeouts import command_timeouts

    with nullcontext() if "serve" in arguments[1:2] else command_timeouts():
        execute_from_command_line(arguments)


def has_no_reader(file: int) -> bool:
    """Returns whether a pipe is written to that nobody reads any more, as after ``| head``."""
    polled = select.poll()
    polled.register(file, 0)
    return any(event & select.POLLERR for _, event in polled.poll(0))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ctxadmin.config.settings")
    try:
        main(sys.argv)
        sys.stdout.flush()
    except BrokenPipeError:
        if not has_no_reader(sys.stdout.fileno()):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more
        sys.exit(141)  # as a shell says of a program that SIGPIPE ended
    except ImproperlyConfigured as error:
        sys.exit(f"ctxadmin cannot start: {error}")
    except Error as error:
        from ctxadmin.storage.database.errors import meaning_of

        meaning = meaning_of(error)
        if meaning is None:
            raise
        sys.exit(f"{meaning.text} What the command did before is kept.\n{error}")
