"""Garbage in any column of a conversation's rows: no call fails as if it were ours, none hangs.

Each run tries a sixth of the values, another one each time (``tests/examples.py``): about thirty
calls follow each of them.
"""

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from types import FrameType
from typing import Any, Final

import pytest
from django.apps import apps
from django.db import DataError, IntegrityError, models, transaction
from django.test import Client

from checkpoints.models import PendingEdit
from ctxadmin.identity.roles import Role
from ctxadmin.lib import clock
from ctxadmin.storage.fields import JsonBytesField
from tests.examples import share_of
from tests.factories import calls, result, signed_in, user
from tests.integration.checkpoints.flows import Run, chain, ok

pytestmark = [pytest.mark.django_db, pytest.mark.only("sqlite")]

LONGEST: Final = 20.0  # seconds of the processor for the calls over one column: they take 0.5
KEYS: Final = ("conversation", "workspace", "key")  # whose row it is
# The scene has none of their rows; test_checkpoint_details.py and test_task_writes.py alter them.
WITHOUT_ROWS = {"CheckpointDetails", "TaskWrites"}
TABLES: Final = [
    model
    for label in ("conversations", "checkpoints")
    for model in apps.get_app_config(label).get_models()
    if model.__name__ not in WITHOUT_ROWS
    if model.__name__ not in ("Retention", "WorkspacePrices", "Maintenance", "UndroppedCopy")
]
READS: Final = (
    *("", "/messages", "/messages?view=all", "/messages/0", "/batches", "/diff?from=0&to=1"),
    *("/export", "/snapshot", "/checkpoints", "/checkpoints/1", "/checkpoints/diff?from=0&to=2"),
    *("/comments", "/labels", "/events", "/wait?timeout=0"),
)
LISTS: Final = (
    *("/conversations", "/events", "/usage?group=node,execution,day"),
    "/conversations/other/messages",
)
PAGES: Final = ("/conversations/{}/", "/executions/{}/", "/executions/{}/timeline/")
PAGES_OF_MANY: Final = ("/", "/reviews/", "/conversations/", "/executions/")
WRITES: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("messages", {"messages": [user("more")]}),
    ("operations", {"operation": "truncate", "truncate": {"keep_last": 1}}),
    ("rollback", {"batch": 0}),
    ("approve", {}),
    ("checkpoints/1/restore", {}),
    ("checkpoints/1/fork", {}),
)


class Scene:
    """A conversation with a row in every table, beside another one."""

    def __init__(self) -> None:
        chain("flow", "ask", "use", configs={"use": {"pause": "before"}})
        self.run = run = Run.start("flow", state={"facts": ["one"], "plan": "a"})
        ok(run.api.post("/conversations", {"id": "other", "messages": [user("whole")]}))
        ok(run.append(user("hello"), calls("c1"), result("c1"), calls("c2"), user("and?")))
        ok(run.append(result("nobody asked")))
        cut = {"operation": "truncate", "truncate": {"keep_last": 2}}
        ok(run.post("operations", cut))
        ok(run.post("rollback", {"batch": 0}))
        ok(run.append(user("again")))
        used = {"input_tokens": 7, "output_tokens": 1, "model": "m"}
        ok(run.complete("ask", result={"response": "r"}, state_data={"plan": "b"}, usage=used))
        ok(run.update("use", state_data={"plan": "c"}))
        ok(run.api.patch(f"{run.path}/messages/0", {"pinned": True, "reason": "kept"}))
        ok(run.post("comments", {"text": "look", "key": "plan", "version": 1}))
        ok(run.api.put(f"{run.path}/checkpoints/1/label", {"label": "good"}))
        ok(run.api.get(f"{run.path}/messages/0?node=ask"))  # a recall
        ok(run.post("claim"))
        ok(run.api.get("/events"))
        PendingEdit.objects.create(
            conversation=run.head.key,
            execution=1,
            person=1,
            version=2,
            seq=1,
            typed=b'{"rows":[],"others":[],"texts":[]}',
            changed_at=clock.now(),
        )
        self.page: Client = signed_in(Role.ADMIN)
        self.page.raise_request_exception = False
        run.api.client.raise_request_exception = False

    def calls(self) -> Iterator[tuple[str, Callable[[], Any]]]:
        """What is asked, with its name."""
        api, name = self.run.api, self.run.head.public_id
        for path in (*(f"{self.run.path}{each}" for each in READS), *LISTS):
            yield f"GET {path}", partial(api.get, path)
        for page in (*(each.format(name) for each in PAGES), *PAGES_OF_MANY):
            yield f"page {page}", partial(self.page.get, page)
        for path, body in WRITES:
            yield f"POST {path}", partial(self.run.post, path, body)


@pytest.fixture
def scene(db: None) -> Scene:
    return Scene()


def garbage(field: "models.Field[Any, Any]", old: object) -> list[object]:
    """Values of the column's type that no row has there."""
    if isinstance(field, models.BooleanField):
        return [not old]
    found: Sequence[object]
    if isinstance(field, models.IntegerField):
        small = isinstance(field, models.SmallIntegerField)
        large = isinstance(field, models.BigIntegerField)
        found = [2**15 - 1 if small else 2**62 if large else 2**31 - 1, -1]
    elif isinstance(field, models.DateTimeField):
        late = datetime(9999, 12, 31, 23, 59, 59, 999999, UTC)
        found = [late, datetime(1, 1, 1, tzinfo=UTC)]
    elif isinstance(field, JsonBytesField):
        found = [b"{", b"7", b'{"x":1}', b"", b"[1]", b"[" * 3_000]
    elif isinstance(field, models.BinaryField):
        found = [b"\xff" * 30, b""]
    else:
        found = ["", "???"]
    return list(found)


@contextmanager
def bounded() -> Iterator[None]:
    """What hangs is a failure; only a thread that signals reach can be told."""

    def fail(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"it takes more than {LONGEST} s of the processor")

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, fail)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@contextmanager
def undone() -> Iterator[None]:
    """What is written in it is undone at its end."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def failures(scene: Scene) -> Iterator[str]:
    for name, call in scene.calls():
        with undone():
            status = call().status_code
        if status == 500 or (name.endswith(LISTS[-1]) and status != 200):
            yield f"{name}: {status}"


@pytest.mark.parametrize("model", TABLES, ids=lambda model: model.__name__)
def test_garbage_in_a_column_is_no_failure_of_the_server(
    scene: Scene, model: type[models.Model]
) -> None:
    rows = model._default_manager.order_by("pk")
    names = [field.attname for field in model._meta.concrete_fields]
    own = "key" if model.__name__ == "Conversation" else "conversation"
    if own in names:
        rows = rows.filter(**{own: scene.run.head.key})
    row = rows.last()
    assert row is not None, "the scene has no such row"
    found: list[str] = []
    columns = [field for field in model._meta.concrete_fields if field.attname not in {*KEYS, "pk"}]
    values = [
        (field.attname, value)
        for field in columns
        for value in garbage(field, getattr(row, field.attname))
    ]
    for name, value in share_of(values, parts=6):
        with undone(), bounded():
            try:
                with transaction.atomic():
                    rows.filter(pk=row.pk).update(**{name: value})
            except (DataError, IntegrityError):
                continue
            found += [f"{name}={value!r:.20}: {each}" for each in failures(scene)]
    assert found == []
