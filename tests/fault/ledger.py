"""A store in memory that speaks like the product to the clients, to try the audit on.

It is honest; what makes it lie is in ``broken_stores``. Its clock counts, so a seed repeats all.
"""

import json
import random
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from pydantic import JsonValue

from tests.fault.digests import objects
from tests.fault.history import Attempt, Json, Kind, Outcome, Seen, Write
from tests.fault.model import Change, Model
from tests.fault.roles import NODES

_OVERTAKEN: Final = 0.2  # how often someone else is faster
_DEEPEST: Final = 3
_LOST: Final = 0.05  # how often a request is lost, and how often an answer
_ONE: Final = r"/conversations/(?P<name>[^/?]+)"
_WRITES: Final[Mapping[str, Kind]] = {
    r"POST /conversations": Kind.CREATE,
    rf"POST {_ONE}/messages": Kind.APPEND,
    rf"POST {_ONE}/executions": Kind.START,
    rf"PUT {_ONE}/checkpoints/(?P<subject>[^/]+)": Kind.SAVE,
    rf"POST {_ONE}/nodes/(?P<subject>[^/]+)/complete": Kind.COMPLETE,
    rf"POST {_ONE}/pause": Kind.PAUSE,
    rf"POST {_ONE}/(resume|approve)": Kind.RESUME,
    rf"PATCH {_ONE}/snapshot": Kind.EDIT,
    rf"POST {_ONE}/checkpoints/(?P<subject>[^/]+)/restore": Kind.RESTORE,
}
_NEEDS: Final[Mapping[Kind, str]] = {
    Kind.SAVE: "RUNNING",
    Kind.PAUSE: "RUNNING",
    Kind.RESUME: "PAUSED",
    Kind.EDIT: "PAUSED",
    Kind.RESTORE: "PAUSED",
}


class Refused(Exception):
    """The answer to what cannot be done: a status, a code, perhaps a sentence."""

    def __init__(self, status: int, code: str, detail: str = "") -> None:
        super().__init__(code)
        self.detail = detail
        self.status = status
        self.code = code


@dataclass
class Book:
    """One conversation: the model of it, its messages, its audit, what it answered to names."""

    model: Model = field(default_factory=lambda: Model(workflow=NODES))
    messages: list[Json] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    answers: dict[str, tuple[str, Json]] = field(default_factory=dict)
    nodes: dict[int, str] = field(default_factory=dict)


class Ledger:
    """All conversations, and the one clock."""

    def __init__(self, seed: str) -> None:
        self.chance = random.Random(f"ledger {seed}")
        self.books: dict[str, Book] = {}
        self.now = 0.0
        self.steps: dict[str, Callable[[], None]] = {}
        self._busy: list[str] = []

    def tick(self) -> float:
        self.now += 1.0
        return self.now

    def step(self, name: str) -> None:
        """Have a client take its next step; others may step in between its requests."""
        self._busy.append(name)
        try:
            self.steps[name]()
        finally:
            self._busy.remove(name)

    def let_others_go_first(self) -> None:
        """Sometimes, while a request is on its way, someone else is faster."""
        if len(self._busy) < _DEEPEST and self.chance.random() < _OVERTAKEN:
            free = [name for name in self.steps if name not in self._busy]
            self.step(self.chance.choice(free))

    def connect(self, name: str, chance: random.Random) -> "LedgerWire":
        return LedgerWire(self, name)

    def answer(self, method: str, path: str, body: Json, key: str, request: str) -> Json:
        """Do what is asked for; raises Refused."""
        path, _, query = path.partition("?")
        call = f"{method} {path}"
        for pattern, kind in _WRITES.items():
            match = re.fullmatch(pattern, call)
            if match:
                named = match.groupdict()
                name = named.get("name") or str(body["id"])
                return self.write(kind, name, named.get("subject") or "", body, key, request)
        return self.read(call, query)

    def write(
        self, kind: Kind, name: str, subject: str, body: Json, key: str, request: str
    ) -> Json:
        """Make one change once; a repeat gets the answer that it got before."""
        if kind is Kind.CREATE:
            self.books.setdefault(name, Book())
        book = self.book(name)
        by = {Kind.SAVE: subject, Kind.COMPLETE: str(body.get("checkpoint_id"))}.get(kind, key)
        said = {field: value for field, value in body.items() if field != "expected_version"}
        text = json.dumps([kind, subject, said], sort_keys=True)
        if by in book.answers:
            return self.repeated(book, by, text)
        self.require(kind, book, body, subject)
        answer = self.change(Write(by, "", kind, name, body, subject), book, request)
        book.answers[by] = (text, answer)
        return answer

    def repeated(self, book: Book, by: str, text: str) -> Json:
        former, answer = book.answers[by]
        if former != text:
            raise Refused(409, "duplicate")
        return answer

    def require(self, kind: Kind, book: Book, body: Json, subject: str) -> None:
        """Refuse what status or workflow do not allow, and what expects another version."""
        run = book.model.run
        if kind is Kind.COMPLETE and subject not in book.model.ready():
            raise Refused(409, "invalid_state")
        if run is not None and kind in _NEEDS and run.status != _NEEDS[kind]:
            raise Refused(409, "invalid_state")
        expected = body.get("expected_version")
        if run is not None and expected is not None and expected != run.version:
            raise Refused(409, "version_conflict")

    def change(self, write: Write, book: Book, request: str) -> Json:
        """Do it, and put it on record."""
        model = book.model
        first, before = len(model.log), model.run.version if model.run else None
        if write.kind is Kind.PAUSE and model.run is not None and model.run.pause_requested:
            return _told(write, first, model.seen())
        revision = len(model.views) if _opens(write) else model.revision
        model.apply(write, Change(0, "", "", "", f"{revision}.0", {}))
        self.log(book, write.body)
        run = model.run
        after = f"{model.revision}.{len(model.view)}"
        detail: Json = {}
        if run is not None and write.kind is not Kind.APPEND:
            after = f"{run.version}.{after}"
            detail = {"status": run.status}
            if run.version != before:
                book.nodes[run.version] = str(write.body.get("node_id", ""))
        number = len(book.changes) + 1
        self.record(book, write, Change(number, write.kind, request, "", after, detail))
        return _told(write, first, model.seen())

    def log(self, book: Book, body: Json) -> None:
        sent = body.get("messages") or objects(body.get("state_data")).get("messages")
        for message in sent if isinstance(sent, list) else ():
            book.messages.append(objects(message))

    def record(self, book: Book, write: Write, change: Change) -> None:
        book.changes.append(change)

    def read(self, call: str, query: str) -> Json:
        """What readings tell: a head, messages, a snapshot, a list."""
        match = re.fullmatch(rf"\w+ {_ONE}/?(?P<rest>.*)", call)
        name, rest = (match["name"], match["rest"]) if match else ("", "")
        return read_book(self.book(name), rest, query)

    def book(self, name: str) -> Book:
        if name not in self.books:
            raise Refused(404, "not_found")
        return self.books[name]

    def crash(self) -> None:
        """What happens at the end; an honest store has everything afterwards."""

    def manage(self, *arguments: str) -> str:
        """The list of changes as ``collect`` asks a server's command for it."""
        rows = [
            [name, each.seq, each.action, each.request, each.before, each.after, each.detail]
            for name, book in self.books.items()
            for each in book.changes
        ]
        return "\n".join(json.dumps(row) for row in rows)


class LedgerWire:
    """One client's way to a ledger; requests and answers get lost on it."""

    def __init__(self, ledger: Ledger, name: str) -> None:
        self.ledger = ledger
        self.name = name
        self.sent = 0
        self.reliable = False

    def send(self, method: str, path: str, body: Json | None = None, *, key: str = "") -> Attempt:
        self.sent += 1
        request, sent = f"{self.name}.{self.sent}", self.ledger.tick()
        lost = 0.0 if self.reliable else self.ledger.chance.random()
        if lost > 1 - _LOST:
            return Attempt(request, 0, sent, self.ledger.tick(), Outcome.UNKNOWN)
        if not self.reliable:
            self.ledger.let_others_go_first()
        outcome, status, code, answer = Outcome.ACKNOWLEDGED, 200, "", Json()
        try:
            answer = self.ledger.answer(method, path, body or {}, key, request)
        except Refused as refused:
            status, code, answer = refused.status, refused.code, {"detail": refused.detail}
            outcome = Outcome.UNAVAILABLE if status == 503 else Outcome.REFUSED
        if lost > 1 - 2 * _LOST:
            outcome = Outcome.UNKNOWN
        ended, retry_after = self.ledger.tick(), "2" if status == 503 else ""
        return Attempt(request, 0, sent, ended, outcome, status, code, retry_after, answer)

    def close(self) -> None:
        """There is nothing to close."""


def _opens(write: Write) -> bool:
    """Whether a change makes a new revision here."""
    return write.kind is Kind.RESTORE or bool(write.body.get("operations"))


def _told(write: Write, first: int, seen: Seen) -> Json:
    if write.kind is Kind.APPEND:
        return {"first_index": first, "revision": seen.revision}
    if write.kind is Kind.CREATE:
        return {"id": write.conversation}
    return {"version": seen.version, "status": seen.status, "pause_requested": True}


def read_book(book: Book, rest: str, query: str) -> Json:
    """The answer to a GET of one conversation, or to entering a node."""
    model, seen = book.model, book.model.seen()
    rows = [{"index": index, "tokens": 1, **each} for index, each in enumerate(book.messages)]
    if rest == "":
        return {
            "status": seen.status,
            "current_revision": seen.revision,
            "current_batch": 0,
            "message_count": seen.message_count,
            "visible_count": seen.visible_count,
            "tokens": seen.visible_count,
        }
    if rest == "snapshot" or rest.startswith("checkpoints/"):
        version = model.run.version if model.run else 0
        return _snapshot(book, version if rest == "snapshot" else int(rest.split("/")[1]), rows)
    if rest.endswith("enter"):
        return {"version": seen.version, "messages": [rows[index] for index in model.view]}
    listed: list[JsonValue] = []
    if rest == "checkpoints":
        listed = [{"version": version} for version in model.versions]
    elif rest == "batches":
        listed = [{"revision": revision} for revision in model.views]
    elif rest == "messages":
        listed = [rows[index] for index in _shown(model, query, len(rows))]
    return {"results": listed, "next": None}


def _shown(model: Model, query: str, count: int) -> Iterable[int]:
    """The log indices of a list of messages: all, of a revision, or of the view."""
    if "view=all" in query:
        return range(count)
    match = re.search(r"view=revision:(\d+)", query)
    return model.views[int(match[1])] if match else model.view


def _snapshot(book: Book, version: int, rows: list[Json]) -> Json:
    model = book.model
    newest = model.run is not None and version == model.run.version
    run = model.run if newest and model.run else model.versions.get(version)
    if run is None:
        view: list[JsonValue] = [rows[index] for index in model.view]
        idle: Json = {"execution": None, "revision": model.revision, "status": "IDLE"}
        return {**idle, "state_data": {"messages": view}}
    shown = model.view if newest else run.view
    return {
        "execution": "x",
        "current_node_id": book.nodes.get(version, ""),
        "revision": model.revision,
        "version": run.version,
        "status": run.status,
        "pause_requested": run.pause_requested,
        "state_data": {**run.state, "messages": [rows[index] for index in shown]},
        "execution_history": [{"checkpoint_id": name} for name in run.history],
        "executed_node_ids": list(run.executed),
    }
