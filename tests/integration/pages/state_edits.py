"""Edits of a paused state as the tests of its pages type, send and apply them."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote
from uuid import uuid4

from django.test import Client

from tests.integration.checkpoints.flows import Run
from tests.integration.pages.execution_scenes import (
    Form,
    field_of,
    form_of,
    hidden,
    page,
    text,
    url,
)


def opened(client: Client, run: Run) -> Form:
    """The form as it is shown."""
    return form_of(page(client, run, "state/"))


def typed(fields: Form, **values: str) -> Form:
    """The form with other values in the rows of some keys."""
    return fields | {f"value-{field_of(fields, key)}": text for key, text in values.items()}


def send(client: Client, run: Run, fields: dict[str, str], step: str = "review") -> Any:
    """Send the form without a script; ``keep`` is what the script does while someone types."""
    if step == "keep":
        assert isinstance(fields, Form)
        return kept(client, run, fields)
    return client.post(url(run, "state/"), fields | {"step": step})


def carried(answer: Any, **more: str) -> dict[str, str]:
    """The hidden fields of a summary or conflict page."""
    html = text(answer)
    names = ["version", "execution", "seq", "edit", "expected_revision", "expected_count"]
    names += ["queue", "who", "workflow", "over", "over-edits"]
    there = [name for name in names if f'name="{name}"' in html]
    return {name: hidden(html, name) for name in there} | more


def kept(client: Client, run: Run, form: Form) -> Any:
    """Keep what was typed into a form as its script does: what it changed since it spoke last.

    What overtook it is kept beside it, and the answer has the words for that.
    """
    operations = list(_operations(form))
    answer = _patch(client, run, form, operations)
    if answer.status_code == 409 and "changed" in answer.json():
        said = answer.json()
        taken = {_key(form, each["place"]) for each in said["changed"]}
        operations = [
            each
            for operation in operations
            for each in _settled(form, operation, taken, said["texts"])
        ]
        answer = _patch(client, run, form, operations)
        answer.told = said["detail"]
    if answer.status_code == 200:
        seq = answer.json()["seq"]
        form.update(seq=str(seq))
        form.mine |= {each["place"]: seq for each in operations if each["op"] in ("set", "revert")}
        texts = [each["mark"] for each in operations if each["op"] == "text"]
        form.mine |= dict.fromkeys(texts, seq)
        if "text-given" in form:
            form["text-given"] = texts[0] if texts else ""
        form.shown = dict(form)
    answer.form = form
    return answer


def _patch(client: Client, run: Run, form: Form, operations: list[dict[str, Any]]) -> Any:
    sent = {
        "execution": form["execution"],
        "version": int(form["version"]),
        "seen_seq": form.seen,
        "operations": operations,
        "given": json.loads(form["given"]),
    }
    return client.patch(url(run, "state/draft/"), sent, content_type="application/json")


def _key(form: Form, place: str) -> str:
    """A whole state names its keys alone."""
    return place[2:] if form.get("mode") == "raw" else place


def _settled(
    form: Form, operation: dict[str, Any], taken: set[str], texts: list[str]
) -> list[dict[str, Any]]:
    place = operation.get("place", "")
    if _key(form, place) in taken:
        aside = {"op": "aside", "place": place}
        return [aside, operation] if operation["op"] == "set" else []
    if operation.get("mark") in texts:
        return [operation | {"mark": uuid4().hex[:16]}]
    return [operation]


def _operations(form: Form) -> Iterator[dict[str, Any]]:
    if form.get("mode") == "raw":
        yield from _of_text(form)
        return
    before, after = _rows(form.shown), _rows(form)
    for place, row in after.items():
        if row != before.get(place):
            yield {"op": "set", "place": place, "mine": form.mine.get(place, 0)} | row
    for place in before:
        if place not in after:
            yield {"op": "revert", "place": place, "mine": form.mine.get(place, 0)}


def _of_text(form: Form) -> Iterator[dict[str, Any]]:
    was = form["text-given"]
    try:
        before, after = json.loads(form.shown["raw"]), json.loads(form["raw"])
    except ValueError:
        mine = form.mine.get(was, 0)
        yield {"op": "text", "mark": was or uuid4().hex[:16], "text": form["raw"], "mine": mine}
        return
    if was:
        yield {"op": "drop", "mark": was}
    for name in {**before, **after}:
        place, mine = f"0:{name}", form.mine.get(f"0:{name}", 0)
        operation = {"op": "set", "place": place, "kind": "value", "mine": mine}
        if name not in after:
            yield operation | {"text": json.dumps(before[name], indent=2), "gone": True}
        elif name not in before or json.dumps(before[name]) != json.dumps(after[name]):
            yield operation | {"text": json.dumps(after[name])}


def _rows(fields: dict[str, str]) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    numbers: dict[str, int] = {}
    for number in range(400):
        if f"name-{number}" not in fields:
            break
        name, text = fields[f"name-{number}"], fields.get(f"value-{number}", "")
        old, offered = f"old-{number}" in fields, f"offered-{number}" in fields
        if not old and not text.strip() and (offered or not name):
            continue
        which = 0
        if not old:
            which = numbers[name] = numbers.get(name, 0) + 1
        name = unquote(name) if old or offered else name
        row = {"kind": fields.get(f"kind-{number}", "text"), "text": text}
        rows[f"{which}:{name}"] = row | {"gone": f"gone-{number}" in fields}
    return rows


def apply(client: Client, run: Run, answer: Any, reason: str = "kinder") -> Any:
    """Press Apply on a summary."""
    return send(client, run, carried(answer, reason=reason), "apply")


def other_edit(run: Run, **state: Any) -> None:
    answer = run.update("review", state_data={k: {"$replace": v} for k, v in state.items()})
    assert answer.status_code == 200


def with_reducers(state: dict[str, Any], **reducers: str) -> Run:
    run = Run.start(None, reducers=reducers)
    run.pause_now(state_data=state)
    return run


def kind_of_row(fields: dict[str, str], key: str) -> str:
    return fields[f"kind-{field_of(fields, key)}"]
