"""The demo's data: workflows, conversations with batches, executions made over REST."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

import httpx
from django.conf import settings
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from pydantic import JsonValue

from conversations.domain.configs import read_operation
from conversations.domain.message import read_messages
from conversations.models import Conversation
from conversations.services import use_cases
from conversations.services.use_cases import NewConversation
from ctxadmin.accounts.services import create_token, revoke_token
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Scope
from ctxadmin.lib import clock
from demo import counter, script
from demo.engine import Engine
from demo.workflows import WORKFLOWS
from workflows.domain.document.graph import read
from workflows.models import Workflow
from workflows.services.use_cases import import_document, publish

CHAT: Final = "demo-workshop"
WAITING: Final = "demo-support"
NOTE: Final = "demo-research"
FORTNIGHT: Final = "demo-fortnight"

Tell = Callable[[str], None]


def seed(actor: Actor, report: Tell) -> None:
    """Creates what is missing; existing data stay, so that it can be run again.

    Each workflow and each conversation is created as a whole or not at all. Raises ServerRefused.
    """
    for slug in WORKFLOWS:
        if create_missing_workflow(actor, slug):
            report(f"workflow {slug}")
    _counter(actor, report)
    if not _there(actor, CHAT):
        with transaction.atomic():
            _chat(actor)
        report(f"conversation {CHAT}, with batches to roll back")
    _executions(actor, report)


def create_missing_workflow(actor: Actor, slug: str) -> bool:
    """Creates and publishes a workflow of the demo, unless there is one; returns if it did."""
    if Workflow.objects.for_workspace(actor.workspace).filter(slug=slug).exists():
        return False
    with transaction.atomic():
        import_document(actor, read(WORKFLOWS[slug]), slug, None)
        publish(actor, slug, 1, "first version of the demo")
    return True


def _counter(actor: Actor, report: Tell) -> None:
    """A workflow whose policy does not pay, with its repair, and conversations to compare them."""
    rows = Workflow.objects.for_workspace(actor.workspace)
    if not rows.filter(slug=counter.SLUG).exists():
        with transaction.atomic():
            for version, step in enumerate(counter.STEPS):
                import_document(actor, read(step.document), counter.SLUG, version or None)
                if step.note is not None:
                    publish(actor, counter.SLUG, version + 1, step.note)
        report(f"workflow {counter.SLUG}, whose draft would cost more than its published version")
    missing = [each for each in range(counter.TALKS) if not _there(actor, counter.talk_id(each))]
    if not missing:
        return
    with transaction.atomic():
        for number in missing:
            new = NewConversation(
                public_id=counter.talk_id(number),
                title=counter.title(number),
                workflow=counter.SLUG,
                drafts=read_messages([*counter.messages(number)]),
            )
            use_cases.create(actor, new)
    report(f"{len(missing)} conversations of {counter.SLUG}")


def _there(actor: Actor, public_id: str) -> bool:
    rows = Conversation.objects.for_workspace(actor.workspace)
    return rows.filter(public_id=public_id).exists()


def _chat(actor: Actor) -> None:
    """Creates a chat that was cut to a budget, rolled back, cut down and continued."""
    opening: list[JsonValue] = [{"role": "system", "content": script.SYSTEM}]
    opening += [{"role": role, "content": text} for role, text in script.chat_texts()]
    new = NewConversation(
        public_id=CHAT,
        title="Hub gear that slips",
        tools=script.TOOLS,
        drafts=read_messages(opening),
    )
    use_cases.create(actor, new)
    shorter: dict[str, JsonValue] = {
        "operation": "budget",
        "budget": {"max_tokens": 180, "target_tokens": 90},
    }
    use_cases.apply_operation(
        actor, CHAT, read_operation(shorter), reason="The window was nearly full."
    )
    use_cases.rollback(actor, CHAT, 0, reason="The price was gone; the customer asked for it.")
    calm: dict[str, JsonValue] = {
        "operation": "filter",
        "filter": {"content_excludes": ["over night"]},
    }
    use_cases.apply_operation(actor, CHAT, read_operation(calm), reason="That is settled.")
    last: list[JsonValue] = [{"role": "user", "content": "One more thing: do you sell bells?"}]
    use_cases.append(actor, CHAT, read_messages(last))


def _executions(actor: Actor, report: Tell) -> None:
    """Creates two executions run by the reference engine, up to their review."""
    wanted = {WAITING: ("support", script.QUESTION), NOTE: ("research-note", script.TOPIC)}
    missing = {name: run for name, run in wanted.items() if not _there(actor, name)}
    history = not _there(actor, FORTNIGHT)
    if not missing and not history:
        return
    made = create_token(actor, "demo seed", [Scope.ENGINE], lifetime=timedelta(minutes=10))
    try:
        with _client(made.secret) as client, _connection_kept_open():
            for name, (workflow, question) in missing.items():
                with transaction.atomic():
                    engine = Engine(client, workflow, name, lambda _: None, scripted=True)
                    engine.start(question)
                    status = engine.run(wait=False)
                report(f"conversation {name}: execution of {workflow}, {status}")
            if history:
                with transaction.atomic():
                    _fortnight(client)
                report(f"conversation {FORTNIGHT}, with the usage of 14 days")
    finally:
        revoke_token(actor, made.token.public_id)


def _fortnight(client: httpx.Client) -> None:
    """Creates a free execution that reported usage on each of the last 14 days."""
    path, count = f"/api/v1/conversations/{FORTNIGHT}", len(script.DAYS)
    for day, (steps, tokens, cached) in enumerate(script.DAYS):
        with clock.move_to_past(timedelta(days=count - 1 - day, minutes=5)):
            if not day:
                new = {"id": FORTNIGHT, "title": "A fortnight at the workshop's counter"}
                client.post("/api/v1/conversations", json=new).raise_for_status()
                client.post(f"{path}/executions", json={}).raise_for_status()
            text = f"{steps} questions answered."
            done = {
                "checkpoint_id": f"day-{day}",
                "result": {"response": text},
                "messages": [{"role": "assistant", "content": text}],
                "status": "COMPLETED" if day == count - 1 else None,
                "usage": {
                    "model": "gpt-5-mini",
                    "input_tokens": tokens,
                    "cached_tokens": cached,
                    "output_tokens": steps * 310,
                },
            }
            client.post(f"{path}/nodes/answer/complete", json=done).raise_for_status()


def _client(token: str) -> httpx.Client:
    """Returns a client whose calls stay in this process and its transaction."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ctxadmin.config.settings")
    host = next((host for host in settings.ALLOWED_HOSTS if host != "*"), "localhost")
    return httpx.Client(
        transport=httpx.WSGITransport(app=get_wsgi_application()),
        base_url=f"{'https' if settings.HTTPS_ONLY else 'http'}://{host.removeprefix('.')}",
        headers={"Authorization": f"Bearer {token}"},
    )


@contextmanager
def _connection_kept_open() -> Iterator[None]:
    """Keeps requests from closing the connection, because they are parts of an open transaction."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)
