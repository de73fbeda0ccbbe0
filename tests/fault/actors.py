"""What every client does: changes that are repeated until their fate is known, and readings."""

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

from tests.fault.history import Attempt, History, Json, Kind, Outcome, Read, Seen, Write
from tests.fault.readings import of_entering, of_head, of_messages, of_snapshot
from tests.fault.wire import Sender

_CALM: Final = (0.005, 0.06)  # seconds between two steps of a client
_BACK_OFF: Final = (0.05, 0.4)
_ABANDONED: Final = 0.08  # how often a change of unknown fate is not asked for again
_ASKED_TWICE: Final = 0.06  # how often one that was acknowledged is
_OTHER_BODY: Final = 0.03  # how often its key is used for something else then
_LOOKS_AFTER: Final = 0.3  # how often a client reads what it wrote
_WORDS: Final = ("plan", "tool", "Antwort", "résumé", "上下文", "🙂", "null", "{}", "\\", '"', "\n")


@dataclass(frozen=True)
class Scene:
    """The conversations that the clients of one round share, and the workflow of the others."""

    name: str
    chats: tuple[str, ...]
    runs: tuple[str, ...]
    workflow: str

    @classmethod
    def of(cls, name: str) -> "Scene":
        """Few conversations, so that clients meet."""
        chats = tuple(f"{name}-chat-{number}" for number in range(2))
        runs = tuple(f"{name}-run-{number}" for number in range(2))
        return cls(name, chats, runs, "relay")


class Client:
    """One caller with a mind of its own: its choices come from the seed and its name.

    How often it has to repeat something depends on time; that has a chance of its own, so that
    what a client wants does not.
    """

    role: ClassVar[str]

    def __init__(
        self, number: int, scene: Scene, seed: str, wire: Sender, history: History
    ) -> None:
        self.name = f"{self.role}-{number}"
        self.scene = scene
        self.wire = wire
        self.history = history
        self.chance = random.Random(f"{seed} {self.name}")
        self.over = threading.Event()
        self._luck = random.Random(f"{seed} {self.name} repeats")
        self._count = 0

    def run(self) -> None:
        """Step after step until the round is over; what the suite itself breaks is reported."""
        try:
            while not self.over.wait(self.chance.uniform(*_CALM)):
                self.step()
        except Exception as error:  # noqa: BLE001 - the outermost loop of a thread
            self.history.faults_of_the_suite.append(f"{self.name}: {error!r}")
        finally:
            self.wire.close()

    def step(self) -> None:
        """The next thing that this client does."""
        raise NotImplementedError

    def change(
        self,
        kind: Kind,
        conversation: str,
        path: str,
        body: Json,
        *,
        name: str = "",
        subject: str = "",
    ) -> Json | None:
        """Make one change; its answer, or None if it was refused or its fate is unknown.

        A SAVE or COMPLETE is known again by its checkpoint id, its name; all others by their key.
        """
        write = Write(name or self.next_name(), self.name, kind, conversation, body, subject)
        self.history.add(write)
        attempt = self._ask(write, path, body)
        while attempt.outcome not in (Outcome.ACKNOWLEDGED, Outcome.REFUSED):
            abandoned = write.can_have_happened and self._luck.random() < _ABANDONED
            if abandoned or self.over.wait(self._luck.uniform(*_BACK_OFF)):
                return None
            attempt = self._ask(write, path, body)
        if attempt.outcome is Outcome.REFUSED:
            return None
        self._try_again(write, path)
        return attempt.answer

    def look(self, conversation: str) -> Json | None:
        """Read a conversation in one of three ways; its answer, or None."""
        reading = self.chance.choice((self.look_at_head, self.look_at_view, self.look_at_snapshot))
        return reading(conversation)

    def look_after(self, conversation: str) -> None:
        """Read now and then what was just written, on any worker."""
        if self.chance.random() < _LOOKS_AFTER:
            self.look(conversation)

    def look_at_head(self, conversation: str) -> Json | None:
        return self._get(conversation, f"/conversations/{conversation}", of_head)

    def look_at_view(self, conversation: str) -> Json | None:
        path = f"/conversations/{conversation}/messages?limit=1000"
        return self._get(conversation, path, of_messages)

    def look_at_snapshot(self, conversation: str) -> Json | None:
        return self._get(conversation, f"/conversations/{conversation}/snapshot", of_snapshot)

    def look_by_entering(self, conversation: str, node: str) -> Json | None:
        """What a node would see: a reading, though it is a POST."""
        path = f"/conversations/{conversation}/nodes/{node}/enter"
        return self._get(conversation, path, of_entering, method="POST")

    def next_name(self) -> str:
        """A name that nothing else in the history has."""
        self._count += 1
        return f"{self.scene.name}-{self.name}-{self._count}"

    def text(self, longest: int = 400) -> str:
        """Some text that nobody else writes."""
        words = [self.chance.choice(_WORDS) for _ in range(self.chance.randrange(longest // 5))]
        return f"{self.name} {self.chance.getrandbits(48):x} " + " ".join(words)

    def messages(self, most: int = 3) -> list[Json]:
        roles = ("user", "assistant")
        count = self.chance.randint(1, most)
        return [{"role": self.chance.choice(roles), "content": self.text()} for _ in range(count)]

    def _ask(self, write: Write, path: str, body: Json) -> Attempt:
        by_id = write.kind in (Kind.SAVE, Kind.COMPLETE)
        method = {Kind.SAVE: "PUT", Kind.EDIT: "PATCH"}.get(write.kind, "POST")
        attempt = self.wire.send(method, path, body, key="" if by_id else write.name)
        write.attempts.append(attempt)
        return attempt

    def _try_again(self, write: Write, path: str) -> None:
        """Ask again for what was done, or for something else under the same name."""
        if self._luck.random() < _ASKED_TWICE:
            self._ask(write, path, write.body)
        if self._luck.random() < _OTHER_BODY and write.kind in (Kind.APPEND, Kind.SAVE):
            other: Json = {
                **write.body,
                "messages": [{"role": "user", "content": "something else"}],
            }
            method = "PUT" if write.kind is Kind.SAVE else "POST"
            key = "" if write.kind is Kind.SAVE else write.name
            write.other_bodies.append(self.wire.send(method, path, other, key=key))

    def _get(
        self, conversation: str, path: str, told: Callable[[Json], Seen], *, method: str = "GET"
    ) -> Json | None:
        attempt = self.wire.send(method, path, {} if method == "POST" else None)
        if attempt.outcome is not Outcome.ACKNOWLEDGED:
            self.history.add_lost_read(attempt)
            return None
        request, worker = attempt.request, attempt.worker
        seen, times = told(attempt.answer), (attempt.sent, attempt.ended)
        self.history.add(Read(self.name, conversation, request, worker, *times, seen))
        return attempt.answer
