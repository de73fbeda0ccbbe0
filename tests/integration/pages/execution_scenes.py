"""Executions for the tests of their pages: paused, running, failed, with something to read."""

import re
from collections.abc import Mapping
from html import unescape
from typing import Any

from django.test import Client

from tests.factories import Api, user
from tests.integration.checkpoints.flows import REVIEW, Run, chain, ok

STATE = {"draft": "Dear customer", "count": 3, "sent": False, "facts": {"a": 1, "b": 2}}


def paused(workflow: str = "letter", **body: Any) -> Run:
    """An execution that waits for review before its node ``review``, at version 1."""
    chain(workflow, "write", "review", "send", configs={"review": REVIEW})
    run = running(workflow, **body)
    assert run.complete("write", state_data=STATE).status_code == 201
    assert run.snapshot()["status"] == "PAUSED"
    return run


def another(run: Run) -> None:
    """End the execution and start one of the same workflow that waits at the same version."""
    ok(run.post("cancel"))
    ok(run.post("executions", {"workflow": "letter"}))
    assert run.complete("write", "again").status_code == 201
    assert run.snapshot()["status"] == "PAUSED"


def running(workflow: str | None = None, api: Api | None = None, **body: Any) -> Run:
    """An execution that runs, at version 0, with two messages."""
    run = Run.start(workflow, api, **body)
    run.append(user("hello"), user("where is my parcel?"))
    return run


def failed() -> Run:
    run = running()
    run.complete("a", result={"error": "the tool broke"})
    assert run.snapshot()["status"] == "FAILED"
    return run


def url(run: Run, path: str = "") -> str:
    return f"/executions/{run.head.public_id}/{path}"


def text(answer: Any) -> str:
    return str(answer.content.decode())


def page(client: Client, run: Run, path: str = "") -> str:
    """A page of the execution that must be there."""
    answer = client.get(url(run, path))
    assert answer.status_code == 200, answer.status_code
    return text(answer)


def move(client: Client, run: Run, name: str, **fields: str) -> Any:
    """Press a button of the page of the execution."""
    return client.post(url(run, "move/"), {"move": name, **fields})


def status(run: Run) -> str:
    return str(run.snapshot()["status"])


def hidden(html: str, name: str) -> str:
    """The value of a hidden field."""
    found = re.search(rf'<input type="hidden" name="{name}" value="([^"]*)"', html)
    assert found is not None, name
    return unescape(found[1])


class Form(dict[str, str]):
    """The fields of the form of a state, which know how they were ``shown``.

    ``seen`` is the number of the draft then, and ``mine`` are the numbers under which the page kept
    what it said of a place, as its script remembers them.
    """

    shown: dict[str, str]
    seen: int
    mine: dict[str, int]

    def __or__(self, other: Mapping[str, str]) -> "Form":  # type: ignore[override]
        made = Form({**self, **other})
        made.shown, made.seen, made.mine = self.shown, self.seen, self.mine
        return made


def form_of(html: str) -> Form:
    """Every field of the form of a state, as a browser without JavaScript would send it."""
    fields = Form()
    for tag in re.findall(r"<input [^>]*>", html.split('id="state-form"')[1]):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        if name and not ('type="checkbox"' in tag and "checked" not in tag):
            fields[name[1]] = unescape(value[1]) if value else ""
    areas = re.findall(r'<textarea[^>]* name="([^"]*)"[^>]*>\n(.*?)</textarea>', html, re.DOTALL)
    fields.update({name: unescape(value).replace("\n", "\r\n") for name, value in areas})
    for name, options in re.findall(
        r'<select[^>]* name="([^"]*)"[^>]*>(.*?)</select>', html, re.DOTALL
    ):
        chosen = re.search(r'value="([^"]*)" selected', options) or re.search(
            r'value="([^"]*)"', options
        )
        fields[name] = unescape(chosen[1]) if chosen else ""
    fields.shown, fields.mine = dict(fields), {}
    fields.seen = int(fields.get("seq", 0))
    return fields


def field_of(fields: dict[str, str], key: str) -> str:
    """The number of the row of a key."""
    return next(n[5:] for n, value in fields.items() if n.startswith("name-") and value == key)
