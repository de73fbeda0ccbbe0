"""How a conversation must stand after each of its changes: the rules again, in plain values.

A model of few lines to hold the product against; it takes from the record only in which order
things happened and how revisions are numbered.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from tests.fault.digests import message_digest, objects, state_digest
from tests.fault.history import Json, Kind, Seen, Write

View = tuple[int, ...]  # log indices
State = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of the audit of one conversation."""

    seq: int
    action: str
    request: str
    before: str
    after: str
    detail: Json

    @property
    def revision(self) -> int:
        """The current revision after it: ``[version.]revision.count``."""
        return int(self.after.split(".")[-2])

    @property
    def visible_count(self) -> int:
        return int(self.after.split(".")[-1])

    @property
    def version(self) -> int | None:
        parts = self.after.split(".")
        return int(parts[0]) if len(parts) == 3 else None


@dataclass(frozen=True, slots=True)
class Run:
    """An execution at one version; ``view`` are the messages that were visible then."""

    version: int
    status: str
    state: State
    executed: tuple[str, ...] = ()
    history: tuple[str, ...] = ()
    view: View = ()
    pause_requested: bool = False


@dataclass(slots=True)
class Model:
    """One conversation as it stands; ``versions`` are the runs as they were, by version."""

    log: list[str] = field(default_factory=list)
    views: dict[int, View] = field(default_factory=dict)
    revision: int = 0
    run: Run | None = None
    versions: dict[int, Run] = field(default_factory=dict)
    reducers: Mapping[str, str] = field(default_factory=dict)
    workflow: Sequence[str] = ()

    @property
    def view(self) -> View:
        return self.views[self.revision]

    def ready(self) -> Sequence[str]:
        """The next node of the workflow, whose nodes follow one another."""
        done = 0 if self.run is None else len(self.run.executed)
        return self.workflow[done : done + 1]

    def seen(self) -> Seen:
        """What a reading of everything would tell now."""
        run = self.run
        return Seen(
            revision=self.revision,
            message_count=len(self.log),
            visible_count=len(self.view),
            view=tuple(self.log[index] for index in self.view),
            version=run.version if run else None,
            status=run.status if run else "IDLE",
            pause_requested=run.pause_requested if run else None,
            state=state_digest(dict(run.state)) if run else None,
        )

    def apply(self, write: Write, change: Change) -> None:
        """Do what a write asks for, at the revision that the record names."""
        _EFFECTS[write.kind](self, write, change)

    def append(self, messages: JsonValue, revision: int) -> None:
        """Log messages and show them at the end; a revision that others came from is left alone."""
        added = self._log(messages)
        self.show((*self.view, *added), revision)

    def show(self, view: View, revision: int) -> None:
        self.views[revision] = view
        self.revision = revision

    def write_version(self, run: Run) -> None:
        self.run = replace(run, view=self.view)
        self.versions[run.version] = self.run

    def _log(self, messages: JsonValue) -> View:
        listed = messages if isinstance(messages, list) else []
        first = len(self.log)
        self.log += [message_digest(each) for each in listed if isinstance(each, dict)]
        return tuple(range(first, len(self.log)))

    def operate(self, config: Mapping[str, JsonValue], revision: int) -> None:
        """One of the operations that the clients use; each makes a new revision."""
        view = self.view
        block = objects(config.get(str(config["operation"])))
        match config["operation"]:
            case "truncate":
                keep = _whole(block["keep_last"])
                view = view[-keep:] if keep else ()
            case "insert":
                place = _whole(block["position"])
                view = (*view[:place], *self._log(block["messages"]), *view[place:])
            case "replace":
                place = _whole(block["index"])
                view = (*view[:place], *self._log([block["message"]]), *view[place + 1 :])
            case "clear":
                view = ()  # no client writes system messages or tool descriptions
        self.show(view, revision)


def _create(model: Model, write: Write, change: Change) -> None:
    model.views[0] = ()
    model.append(write.body.get("messages"), change.revision)


def _append(model: Model, write: Write, change: Change) -> None:
    model.append(write.body["messages"], change.revision)


def _operate(model: Model, write: Write, change: Change) -> None:
    model.operate(write.body, change.revision)


def _go_to(model: Model, write: Write, change: Change) -> None:
    model.revision = change.revision


def _start(model: Model, write: Write, change: Change) -> None:
    model.reducers = {key: str(name) for key, name in objects(write.body.get("reducers")).items()}
    state = objects(write.body.get("state"))
    if "input" in write.body:
        state = {**state, "user_input": write.body["input"]}
    model.write_version(Run(0, "RUNNING", state))


def _save(model: Model, write: Write, change: Change) -> None:
    run = _run_of(model)
    model.append(write.body.get("messages"), change.revision)
    state = _reduced(model, run.state, objects(write.body["state_data"]))
    asked = run.pause_requested or write.body.get("status") == "PAUSED"
    model.write_version(
        Run(
            run.version + 1,
            "PAUSED" if asked else "RUNNING",
            state,
            (*run.executed, str(write.body["node_id"])),
            run.history,
        )
    )


def _complete(model: Model, write: Write, change: Change) -> None:
    run = _run_of(model)
    if write.subject not in model.ready():
        raise LookupError(f"{write.subject} is not ready")
    model.append(write.body.get("messages"), change.revision)
    result = objects(write.body["result"])
    update = {f"{write.subject}_output": result["output"], **objects(write.body["state_data"])}
    executed = (*run.executed, write.subject)
    ended = len(executed) == len(model.workflow)
    model.write_version(
        Run(
            run.version + 1,
            "COMPLETED" if ended else "RUNNING",
            _reduced(model, run.state, update),
            executed,
            (*run.history, write.name),
        )
    )


def _pause(model: Model, write: Write, change: Change) -> None:
    model.run = replace(_run_of(model), pause_requested=True)


def _resume(model: Model, write: Write, change: Change) -> None:
    run = _run_of(model)
    model.write_version(replace(run, version=run.version + 1, status="RUNNING"))


def _edit(model: Model, write: Write, change: Change) -> None:
    run = _run_of(model)
    operations = write.body.get("operations")
    for config in operations if isinstance(operations, list) else ():
        model.operate(objects(config), change.revision)
    update = objects(write.body["state_data"])
    model.append(update.get("messages"), change.revision)
    kept = {key: value for key, value in update.items() if key != "messages"}
    state = _reduced(model, run.state, kept)
    model.write_version(replace(run, version=run.version + 1, state=state))


def _restore(model: Model, write: Write, change: Change) -> None:
    run, then = _run_of(model), model.versions[int(write.subject)]
    model.show(then.view, change.revision)
    model.write_version(
        replace(then, version=run.version + 1, status="PAUSED", pause_requested=False)
    )


Effect = Callable[[Model, Write, Change], None]
_EFFECTS: Mapping[Kind, Effect] = {
    Kind.CREATE: _create,
    Kind.APPEND: _append,
    Kind.OPERATE: _operate,
    Kind.ROLLBACK: _go_to,
    Kind.GO_TO: _go_to,
    Kind.START: _start,
    Kind.SAVE: _save,
    Kind.COMPLETE: _complete,
    Kind.PAUSE: _pause,
    Kind.RESUME: _resume,
    Kind.EDIT: _edit,
    Kind.RESTORE: _restore,
}


def _reduced(model: Model, state: State, update: Mapping[str, JsonValue]) -> State:
    """The state with an update put through the reducers that the clients use."""
    after = dict(state)
    for key, value in update.items():
        directive = objects(value)
        if set(directive) == {"$delete"}:
            after.pop(key, None)
        elif set(directive) == {"$replace"}:
            after[key] = directive["$replace"]
        elif model.reducers.get(key) == "increment":
            after[key] = _whole(after.get(key, 0)) + _whole(value)
        elif model.reducers.get(key) == "append":
            after[key] = [*_items(after.get(key)), *_items(value)]
        else:
            after[key] = value
    return after


def _run_of(model: Model) -> Run:
    if model.run is None:
        raise LookupError("there is no execution")
    return model.run


def _items(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _whole(value: JsonValue) -> int:
    return value if isinstance(value, int) else 0
