"""``manage.py demo_engine``: runs a demo workflow over REST, to be watched in the browser."""

import os
import shlex
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
from django.core.management.base import CommandError

from ctxadmin.accounts.services import (
    create_token,
    default_workspace,
    revoke_token,
    system_actor,
)
from ctxadmin.identity.roles import Scope
from ctxadmin.storage.commands import ReadyCommand
from demo.engine import ENDED, Engine, ServerRefused
from demo.script import QUESTION, TOPIC
from demo.seed import create_missing_workflow

_LONGEST_REVIEW = timedelta(days=30)  # a person may take the time: the token has to last as long
_QUESTIONS = {"support": QUESTION, "research-note": TOPIC}


class Command(ReadyCommand):
    help = "Run a demo workflow on a running server. It pauses where it needs a review."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--url", default="http://127.0.0.1:8000")
        parser.add_argument("--token", default=os.environ.get("CTXADMIN_TOKEN", ""))
        parser.add_argument("--workflow", default="support", choices=sorted(_QUESTIONS))
        parser.add_argument("--conversation", default="", help="id of the new conversation")
        parser.add_argument(
            "--continue",
            dest="left",
            metavar="ID",
            default="",
            help="continue an execution that another run left",
        )
        parser.add_argument("--question", default="", help="question of the customer")
        parser.add_argument("--delay", type=float, default=1.0, help="seconds between steps")
        parser.add_argument("--no-wait", action="store_true", help="end when it pauses")

    def handle(self, *args: Any, **options: Any) -> None:
        conversation = options["left"] or options["conversation"] or f"demo-{uuid4().hex[:8]}"
        url, workflow = options["url"], options["workflow"]
        if not options["token"]:
            self._create_workflow(workflow)
        with _token(options["token"]) as token, make_client(url, token) as client:
            engine = Engine(client, workflow, conversation, self._print, options["delay"])
            try:
                if options["left"]:
                    engine.resume()
                else:
                    engine.start(options["question"] or _QUESTIONS[workflow])
                self._print(f"watch it at {url}/executions/{conversation}/")
                if engine.run(wait=not options["no_wait"]) not in ENDED:
                    self._print_how_to_continue(url, conversation)
            except ServerRefused as refused:
                raise CommandError(str(refused)) from None
            except httpx.TransportError as error:
                raise CommandError(f"No server answers at {url}: {error}") from None
            except KeyboardInterrupt:
                self._print("stopped; the execution is unchanged")
                self._print_how_to_continue(url, conversation)

    def _create_workflow(self, slug: str) -> None:
        """A workspace that began without demo data has no workflow to run."""
        if create_missing_workflow(system_actor(default_workspace(), "demo_engine"), slug):
            self._print(f"created the workflow {slug}")

    def _print_how_to_continue(self, url: str, conversation: str) -> None:
        words = ["manage.py", "demo_engine", "--url", url, "--continue", conversation]
        self._print(f"to continue: {shlex.join(words)}")

    def _print(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def make_client(url: str, token: str) -> httpx.Client:
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.Client(base_url=url, headers=headers, timeout=30)


@contextmanager
def _token(given: str) -> Iterator[str]:
    """Yields the given token, or one of its own until the command ends."""
    if given:
        yield given
        return
    actor = system_actor(default_workspace(), "demo_engine")
    made = create_token(actor, "demo engine", [Scope.ENGINE], lifetime=_LONGEST_REVIEW)
    try:
        yield made.secret
    finally:
        revoke_token(actor, made.token.public_id)
