"""``manage.py demo_engine``: walks a demo workflow over REST, so that one can watch it move."""

import os
from argparse import ArgumentParser
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
from django.core.management.base import CommandError

from ctxadmin.accounts.roles import Scope
from ctxadmin.accounts.services import create_token, default_workspace, system_actor
from ctxadmin.web.commands import ReadyCommand
from demo.engine import Engine, ServerRefused
from demo.script import QUESTION, TOPIC

_QUESTIONS = {"support": QUESTION, "research-note": TOPIC}


class Command(ReadyCommand):
    help = "Run a demo workflow against a running server; it pauses where a person has the word."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--url", default="http://127.0.0.1:8000")
        parser.add_argument("--token", default=os.environ.get("CTXADMIN_TOKEN", ""))
        parser.add_argument("--workflow", default="support", choices=sorted(_QUESTIONS))
        parser.add_argument("--conversation", default="", help="id of the new conversation")
        parser.add_argument("--question", default="", help="what the customer asks")
        parser.add_argument("--delay", type=float, default=1.0, help="seconds between steps")
        parser.add_argument("--no-wait", action="store_true", help="stop when it pauses")

    def handle(self, *args: Any, **options: Any) -> None:
        token = options["token"] or _token_for_today()
        workflow = options["workflow"]
        conversation = options["conversation"] or f"demo-{uuid4().hex[:8]}"
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=options["url"], headers=headers, timeout=30) as client:
            engine = Engine(client, workflow, conversation, self._tell, options["delay"])
            try:
                engine.start(options["question"] or _QUESTIONS[workflow])
                self._tell(f"watch it at {options['url']}/conversations/{conversation}/")
                engine.run(wait=not options["no_wait"])
            except ServerRefused as refused:
                raise CommandError(str(refused)) from None
            except httpx.TransportError as error:
                raise CommandError(f"No server answers at {options['url']}: {error}") from None
            except KeyboardInterrupt:
                self._tell("stopped; the execution stays as it is")

    def _tell(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def _token_for_today() -> str:
    actor = system_actor(default_workspace(), "demo_engine")
    return create_token(actor, "demo engine", [Scope.ENGINE], lifetime=timedelta(days=1)).secret
