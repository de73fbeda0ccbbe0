"""Reviews that wait, and the parts of their cards."""

import re
from typing import Any

from ctxadmin.identity.roles import Scope
from tests.factories import Api, assistant, conversation, system, user
from tests.integration.checkpoints.flows import REVIEW, Run, chain, ok
from tests.integration.pages.execution_scenes import (
    running,
)


def card(html: str) -> str:
    """The part of the page between the head of the decision and its form."""
    return html.partition('<div class="proposal">')[2].partition('id="decide-form"')[0]


def key(html: str, name: str) -> str:
    """The part of the card about one key."""
    parts = re.split(r"<dt>", card(html))
    return next(part for part in parts if f">{name}<" in part)


def request_of(html: str) -> str:
    """The part of the card about the request, without what came in since."""
    before = card(html).partition("proposal-sources")[0]
    return before.partition("Received since")[0]


def came_in(html: str) -> str:
    """The part of the card about what came in since it was proposed."""
    return card(html).partition("proposal-sources")[0].partition("Received since")[2]


def proposed(html: str) -> str:
    """The part of the card about what was proposed."""
    return card(html).partition("proposal-sources")[2]


def answered() -> Run:
    """An execution that waits with an answer of its node ``write``, the third message."""
    chain("letter", "write", "review", configs={"review": REVIEW})
    run = running("letter")
    ok(run.complete("write", messages=[assistant("Your parcel left on Friday.")]))
    return run


def replaced(run: Run, index: int, message: dict[str, Any]) -> None:
    body = {"operation": "replace", "replace": {"index": index, "message": message}}
    ok(run.post("operations", body))


def changes(html: str) -> str:
    """The part of the card about what else was done to the messages."""
    return card(html).partition("Other changes to the messages")[2]


def prompted() -> Run:
    """As ``answered``, with a system prompt before the request."""
    chain("letter", "write", "review", configs={"review": REVIEW})
    first = [system("Never promise a date."), user("where is my parcel?")]
    run = Run(Api(), conversation(*first))
    ok(run.post("executions", {"workflow": "letter"}))
    ok(run.complete("write", messages=[assistant("Your parcel left on Friday.")]))
    return run


def operated(run: Run, operation: str, reason: str | None = None, **block: Any) -> None:
    body = {"operation": operation, operation: block, "pairing": "keep", "reason": reason}
    ok(run.by(Scope.REVIEW).post("operations", body))


def proposed_output(answer: str) -> Run:
    """An execution whose node said its output as a message."""
    chain("letter", "write", "review", configs={"review": REVIEW})
    run = running("letter")
    ok(run.complete("write", messages=[assistant(answer)], result={"output": answer}))
    return run
