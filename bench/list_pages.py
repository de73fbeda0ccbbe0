"""Measures pages with lists, over very many rows: a part of ``bench.database_costs``."""

import statistics
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from django.db import connection
from django.db.models import Model
from django.test.utils import CaptureQueriesContext

from bench.table import Row, times_of

if TYPE_CHECKING:
    from django.test import Client

    from bench.database_costs import Engine
    from conversations.models import Conversation

ROWS: Final = 100_000
RARE: Final = 1_000  # one of so many rows is rare
WORKFLOWS: Final = 2_000
GOAL_MS: Final = 150.0
MOST_QUERIES: Final = 8
_CHUNK: Final = 2_000
PAGES: Final = {
    "overview": "/",
    "conversations": "/conversations/",
    "conversations of a rare status": "/conversations/?status=FAILED",
    "conversations of a rare workflow": "/conversations/?workflow=rare",
    "conversations with a rare word": "/conversations/?q=needle",
    "conversations with a word that none has": "/conversations/?q=nowhere",
    "executions": "/executions/",
    "executions of a usual status": "/executions/?status=COMPLETED",
    "executions of a rare status": "/executions/?status=FAILED",
    "executions of a rare workflow": "/executions/?workflow=rare",
    "workflows": "/workflows/",
}


def rows(engine: "Engine") -> list[Row]:
    """Returns median server time and number of queries of each page, for a signed-in reviewer."""
    _fill(engine)
    client = _reviewer()
    calls: dict[str, Callable[[], object]] = {
        name: partial(_get, client, path) for name, path in PAGES.items()
    }
    times_of(calls, 1)
    found: list[Row] = []
    for name, times in times_of(calls, 9).items():
        shown = f"page of {name}, {ROWS:,} rows"
        found.append(Row(shown, statistics.median(times) * 1e3, "ms", goal=GOAL_MS))
        with CaptureQueriesContext(connection) as asked:
            calls[name]()
        found.append(Row(f"{shown}, queries", len(asked), "", goal=MOST_QUERIES))
    return found


def _get(client: "Client", path: str) -> None:
    answer = client.get(path, headers={"host": "localhost"})
    if answer.status_code != 200:
        raise RuntimeError(f"{path} answered {answer.status_code}")


def _reviewer() -> "Client":
    from ctxadmin.identity.roles import Role
    from tests.factories import signed_in

    return signed_in(Role.REVIEWER)


def _fill(engine: "Engine") -> None:
    """Creates conversations with a run of one step: one by the services, the others as copies."""
    from checkpoints.models import Execution
    from conversations.models import Conversation
    from workflows.services.use_cases import NewWorkflow, create

    head = Conversation.objects.get(public_id=engine.conversation("pattern", 2))
    run = Execution.objects.get(conversation=head.key)
    _repeat(head, ROWS, partial(_head_at, head))
    _repeat(run, ROWS, lambda at: {"conversation": at, "public_id": f"e-{at}", **_run_at(at)})
    rare = create(engine.actor, NewWorkflow(slug="rare"))
    _repeat(rare, WORKFLOWS, lambda at: {"key": at, "slug": f"workflow-{at}", "name": f"W {at}"})
    if connection.vendor == "mysql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE TABLE conversations_conversation, checkpoints_execution")
            cursor.fetchall()


def _repeat(one: Model, count: int, at: Callable[[int], Mapping[str, object]]) -> None:
    """Yields copies of the row ``one`` with the differing fields of each number from 1 on."""
    names = [field.attname for field in one._meta.concrete_fields]
    fields = {name: getattr(one, name) for name in names}
    model = type(one)
    for start in range(1, count + 1, _CHUNK):
        numbers = range(start, min(start + _CHUNK, count + 1))
        model._default_manager.bulk_create(model(**{**fields, **at(number)}) for number in numbers)


def _head_at(head: "Conversation", at: int) -> dict[str, object]:
    return {
        "key": at,
        "public_id": f"conversation-{at}",
        "title": "a needle" if _is_rare(at) else "about an order",
        "updated_at": head.updated_at - timedelta(seconds=at),
        "status": _run_at(at)["status"],
        "workflow": _run_at(at)["workflow"],
    }


def _run_at(at: int) -> dict[str, object]:
    if _is_rare(at):
        return {"status": "FAILED", "workflow": "rare"}
    return {"status": "COMPLETED", "workflow": f"workflow-{at % 10 + 1}"}


def _is_rare(at: int) -> bool:
    return at % RARE == RARE - 1
