"""The clients of a round: engines, those who shape views, people who review, readers."""

import random
from collections.abc import Callable, Sequence
from typing import Final

from pydantic import JsonValue

from tests.fault.actors import Client, Scene
from tests.fault.history import History, Json, Kind
from tests.fault.wire import Sender

NODES: Final = ("plan", "work", "check", "answer")  # of the workflow, one after the other
_KEYS: Final = ("k0", "k1", "k2")
_COMPLETED_TWICE: Final = 0.2  # how often a node is completed by a second worker, too


class Appender(Client):
    """An engine that appends to conversations; it never names what it saw."""

    role = "appender"

    def step(self) -> None:
        chat = self.chance.choice(self.scene.chats)
        body: Json = {"messages": list(self.messages())}
        self.change(Kind.APPEND, chat, f"/conversations/{chat}/messages", body)
        self.look_after(chat)


class Curator(Client):
    """Someone who shapes the view of conversations, and goes back in it."""

    role = "curator"

    def step(self) -> None:
        chat = self.chance.choice(self.scene.chats)
        head = self.look_at_head(chat)
        if head is None:
            return
        body: Json = {"reason": f"{self.name} at {head['current_revision']}"}
        if self.chance.random() < 0.5:
            body["expected_revision"] = head["current_revision"]
            body["expected_count"] = head["visible_count"]
        choice = self.chance.random()
        if choice < 0.6:
            body |= self._operation(_count(head, "visible_count"))
            self.change(Kind.OPERATE, chat, f"/conversations/{chat}/operations", body)
        elif choice < 0.8:
            body["batch"] = self.chance.randint(0, _count(head, "current_batch"))
            self.change(Kind.ROLLBACK, chat, f"/conversations/{chat}/rollback", body)
        else:
            body["revision"] = self.chance.randint(0, _count(head, "current_revision"))
            self.change(Kind.GO_TO, chat, f"/conversations/{chat}/restore", body)
        self.look_after(chat)

    def _operation(self, visible: int) -> Json:
        choice = self.chance.random()
        if choice < 0.4:
            keep = self.chance.randint(0, 30)
            return {"operation": "truncate", "truncate": {"keep_last": keep}}
        if choice < 0.7:
            place = self.chance.randint(0, max(visible, 1))
            insert: Json = {"position": place, "messages": list(self.messages(2))}
            return {"operation": "insert", "insert": insert}
        if choice < 0.95:
            replace: Json = {
                "index": self.chance.randint(0, max(visible - 1, 0)),
                "message": self.messages(1)[0],
            }
            return {"operation": "replace", "replace": replace}
        return {"operation": "clear"}


class Engine(Client):
    """An engine that saves checkpoints of free executions, beside others that do the same."""

    role = "engine"

    def step(self) -> None:
        run = self.chance.choice(self.scene.runs)
        name = self.next_name()
        body: Json = {
            "node_id": f"n{self.chance.randrange(5)}",
            "state_data": {
                "count": 1,
                "notes": [name],
                self.chance.choice(_KEYS): self.text(2000),
            },
        }
        if self.chance.random() < 0.5:
            body["messages"] = list(self.messages(2))
        if self.chance.random() < 0.03:
            body["status"] = "PAUSED"
        if self.chance.random() < 0.3:
            snapshot = self.look_at_snapshot(run)
            if snapshot is not None:
                body["expected_version"] = snapshot["version"]
        path = f"/conversations/{run}/checkpoints/{name}"
        self.change(Kind.SAVE, run, path, body, name=name)
        self.look_after(run)


class Walker(Client):
    """An engine that takes one execution after the other through a workflow."""

    role = "walker"

    def step(self) -> None:
        flow = self.next_name()
        created = self.change(Kind.CREATE, flow, "/conversations", {"id": flow})
        if created is None:
            return
        start: Json = {"workflow": self.scene.workflow, "input": self.text()}
        path = f"/conversations/{flow}"
        if self.change(Kind.START, flow, f"{path}/executions", start) is None:
            return
        for node in NODES:
            self.look_by_entering(flow, node)
            if self._complete(flow, node) is None:
                return
            if self.chance.random() < _COMPLETED_TWICE:
                self._complete(flow, node)  # as a second worker would that has it, too
        self.look(flow)

    def _complete(self, flow: str, node: str) -> Json | None:
        name = self.next_name()
        body: Json = {
            "checkpoint_id": name,
            "result": {"output": {"by": self.name, "text": self.text()}, "response": self.text(80)},
            "state_data": {f"{node}_notes": [self.text(100)]},
            "messages": list(self.messages(2)),
        }
        if self.chance.random() < 0.5:
            body["enter_next"] = True
        path = f"/conversations/{flow}/nodes/{node}/complete"
        return self.change(Kind.COMPLETE, flow, path, body, name=name, subject=node)


class Reviewer(Client):
    """A person who pauses executions, edits what they stand at, goes back, lets them continue."""

    role = "reviewer"

    def step(self) -> None:
        run = self.chance.choice(self.scene.runs)
        snapshot = self.look_at_snapshot(run)
        if snapshot is None:
            return
        if snapshot["status"] == "RUNNING":
            if self.chance.random() < 0.3:
                body: Json = {"reason": "let me see"}
                self.change(Kind.PAUSE, run, f"/conversations/{run}/pause", body)
            return
        for _ in range(self.chance.randint(0, 3)):
            self._edit(run, snapshot)
            snapshot = self.look_at_snapshot(run) or snapshot
        if self.chance.random() < 0.2:
            self._go_back(run, snapshot)
        else:
            path = f"/conversations/{run}/{self.chance.choice(('resume', 'approve'))}"
            self.change(Kind.RESUME, run, path, {"expected_version": snapshot["version"]})
        self.look_after(run)

    def _edit(self, run: str, seen: Json) -> None:
        state: Json = {self.chance.choice(_KEYS): self.text(), "count": {"$replace": 100}}
        if self.chance.random() < 0.2:
            state[self.chance.choice(_KEYS)] = {"$delete": True}
        if self.chance.random() < 0.3:
            state["messages"] = list(self.messages(1))
        body: Json = {
            "node_id": seen["current_node_id"],
            "state_data": state,
            "expected_version": seen["version"],
            "reason": self.name,
        }
        if self.chance.random() < 0.2:
            body["operations"] = [{"operation": "truncate", "truncate": {"keep_last": 10}}]
        self.change(Kind.EDIT, run, f"/conversations/{run}/snapshot", body)

    def _go_back(self, run: str, seen: Json) -> None:
        version = self.chance.randint(1, max(1, _count(seen, "version")))
        path = f"/conversations/{run}/checkpoints/{version}/restore"
        body: Json = {"expected_version": seen["version"], "reason": self.name}
        self.change(Kind.RESTORE, run, path, body, subject=str(version))


class Reader(Client):
    """Looks at everything, on any worker, all the time."""

    role = "reader"

    def step(self) -> None:
        self.look(self.chance.choice((*self.scene.chats, *self.scene.runs)))


class Opener(Client):
    """Makes, before anything strikes, the conversations that the others share."""

    role = "opener"

    def step(self) -> None:
        for name in (*self.scene.chats, *self.scene.runs):
            body: Json = {"id": name, "messages": list(self.messages())}
            self._must(self.change(Kind.CREATE, name, "/conversations", body), name)
        for name in self.scene.runs:
            start: Json = {
                "reducers": {"count": "increment", "notes": "append"},
                "state": {"count": 0},
            }
            path = f"/conversations/{name}/executions"
            self._must(self.change(Kind.START, name, path, start), name)

    def _must(self, answer: Json | None, name: str) -> None:
        if answer is None:
            raise RuntimeError(f"{name} could not be made before anything struck")


# Eight clients: on two cores more of them would only wait for each other.
CAST: Final[Sequence[type[Client]]] = (
    Appender,
    Appender,
    Curator,
    Engine,
    Engine,
    Walker,
    Reviewer,
    Reviewer,
    Reader,
)


def cast(
    scene: Scene,
    seed: str,
    history: History,
    connect: Callable[[str, random.Random], Sender],
    *,
    roles: Sequence[type[Client]] = CAST,
) -> list[Client]:
    """All clients of a round; ``connect`` gives each its own way to the workers."""
    clients: list[Client] = []
    for number, role in enumerate(roles):
        name = f"{scene.name}.{role.role}-{number}"
        wire = connect(name, random.Random(f"{seed} {name} workers"))
        clients.append(role(number, scene, seed, wire, history))
    return clients


def _count(answer: Json, name: str) -> int:
    value: JsonValue = answer[name]
    return value if isinstance(value, int) else 0
