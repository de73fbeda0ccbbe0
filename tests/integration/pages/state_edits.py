"""Edits of a paused state as the tests of its pages type, send and apply them."""

from typing import Any

from django.test import Client

from tests.integration.checkpoints.flows import Run
from tests.integration.pages.execution_scenes import field_of, form_of, hidden, page, text, url


def opened(client: Client, run: Run) -> dict[str, str]:
    """The form as it is shown."""
    return form_of(page(client, run, "state/"))


def typed(fields: dict[str, str], **values: str) -> dict[str, str]:
    """The form with other values in the rows of some keys."""
    return fields | {f"value-{field_of(fields, key)}": text for key, text in values.items()}


def send(client: Client, run: Run, fields: dict[str, str], step: str = "review") -> Any:
    return client.post(url(run, "state/"), fields | {"step": step})


def carried(answer: Any, **more: str) -> dict[str, str]:
    """The hidden fields of a summary or conflict page."""
    html = text(answer)
    return {name: hidden(html, name) for name in ("version", "execution", "changes")} | more


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
