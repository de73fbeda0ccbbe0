"""Runs an execution: claims, enters and completes its nodes as they become ready."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ctxadmin_client.answers import Completed, Entered, JsonObject, Snapshot
from ctxadmin_client.errors import (
    CtxAdminError,
    Duplicate,
    InvalidState,
    NotFound,
    OtherWorkflow,
    Refused,
)
from ctxadmin_client.steps import checkpoint_id, next_action

if TYPE_CHECKING:
    from ctxadmin_client._sync.client import Client

_WAIT = 50  # seconds of one call; the server allows 60
_HELD = 5  # between two tries to claim a node whose worker may have died


class Step:
    """A node that this worker has claimed: its context, and how to report its result.

    ``lease`` identifies the claim; ``version`` is the version of the execution at which the node
    was entered.
    """

    def __init__(self, run: "Run", node: str, lease: str, entered: Entered) -> None:
        self.node = node
        self.lease = lease
        self.entered = entered
        self.completed: Completed | None = None
        self.overtaken: InvalidState | Duplicate | None = None
        self.given_up = False
        self._run = run

    @property
    def context(self) -> JsonObject:
        return self.entered.context

    @property
    def messages(self) -> Sequence[JsonObject]:
        return self.entered.messages

    @property
    def type(self) -> str | None:
        """The type of the node: ``llm``, ``start``, ``decision``; None without a workflow."""
        return self.entered.node_type

    @property
    def version(self) -> int:
        return self.entered.version

    def complete(
        self,
        response: str | None = None,
        *,
        prompt: str | None = None,
        output: Any = None,
        error: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        state: Mapping[str, Any] | None = None,
        messages: Sequence[Mapping[str, Any]] = (),
        **rest: Any,
    ) -> Completed:
        """Completes the node with its answer, changes of the state, and new messages.

        Repeated with the same values after a crash, it is done once. Raises InvalidState if the
        node is no longer ready, because another worker completed it or the execution was cancelled,
        and Duplicate if another worker completed it with other values. Both end only the block of
        the node and set ``overtaken``; the run continues with the nodes that are ready then.
        """
        result = {
            "response": response,
            "prompt": prompt,
            "output": output,
            "error": error,
            "metadata": metadata,
        }
        try:
            self.completed = self._run.conversation.complete(
                self.node,
                checkpoint_id(self._run.execution, self.node, self.version),
                {name: value for name, value in result.items() if value is not None},
                state_data=state,
                messages=list(messages) or None,
                lease=self.lease,
                provider=self._run.provider,
                **rest,
            )
        except (InvalidState, Duplicate) as error:
            self.overtaken = error
            raise
        return self.completed

    def fail(self, error: str) -> Completed:
        """Reports that the node failed; its error edges are followed, or the execution fails."""
        return self.complete(error=error)

    def renew(self, ttl: int | None = None) -> None:
        """Extends the claim; call it before the lease expires."""
        conversation = self._run.conversation
        conversation.claim_node(self.node, ttl or self._run.ttl, self.lease)


class Node:
    """A ready node that this worker has claimed and entered."""

    def __init__(self, step: Step, run: "Run") -> None:
        self.id = step.node
        self._step = step
        self._run = run

    def claim(self) -> "Claim":
        """Returns the claim of this node, for ``with``."""
        return Claim(self._step, self._run)


class Claim:
    """Keeps a claim during a block; releases it if the block ends without a completion."""

    def __init__(self, step: Step, run: "Run") -> None:
        self._step = step
        self._run = run

    def __enter__(self) -> Step:
        return self._step

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if self._step.completed is None:
            self._run.give_up(self._step)
        return error is not None and error is self._step.overtaken


class Run:
    """An execution that this process works on, alone or with others.

    ``conversation`` is its conversation, ``execution`` its id.
    """

    def __init__(
        self,
        client: "Client",
        conversation_id: str,
        begun: Mapping[str, Any],
        made: Mapping[str, Any],
        *,
        provider: str | None,
        ttl: int,
        wait: bool,
    ) -> None:
        self.conversation = client.conversation(conversation_id)
        self.execution = ""
        self.ttl = ttl
        self._client = client
        self._begun = begun
        self._made = made
        self.provider = provider
        self._wait = wait
        self._entered: dict[str, Entered] = {}
        self._held: Step | None = None

    def __enter__(self) -> Self:
        self._client.ensure(self.conversation.id, **self._made)
        snapshot = self._snapshot()
        if snapshot is None:
            with suppress(InvalidState):  # another worker was faster
                self.conversation.start(**self._begun)
            snapshot = self.conversation.snapshot(state=False)
        asked = self._begun["workflow"]
        if snapshot.workflow != asked:
            name = self.conversation.id
            raise OtherWorkflow(f"{name} has an execution of {snapshot.workflow}, not of {asked}")
        self.execution = snapshot.execution or ""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Releases the node of a loop that ended early."""
        if self._held is not None:
            self.give_up(self._held)

    def ready(self) -> Iterator[Node]:
        """Yields the ready nodes that no other worker has claimed, until the execution ends.

        Each is claimed for this worker until the next iteration. A node that was not completed is
        released, and is yielded again when the execution has another version. While people review,
        or other workers have all ready nodes, it waits; a node of a worker that died is yielded
        when its lease has expired.
        """
        left: set[tuple[str, int]] = set()
        while True:
            snapshot = self.conversation.snapshot(state=False)
            if snapshot.execution != self.execution:
                return
            todo = next_action(snapshot)
            if todo.ended:
                return
            tried = [node for node in todo.nodes if (node, snapshot.version) not in left]
            step = self._first_free(tried)
            if step is not None:
                self._held = step
                try:
                    yield Node(step, self)
                finally:
                    self.give_up(step)
                if step.completed is None and step.overtaken is None:
                    left.add((step.node, snapshot.version))
                continue  # only the server knows which nodes are ready now
            if not self._wait and not todo.nodes:
                return
            seconds = min(_HELD, self.ttl) if todo.nodes else _WAIT
            self.conversation.wait(
                after_version=snapshot.version, execution=self.execution, seconds=seconds
            )

    def status(self) -> str:
        """Returns the current status of the execution."""
        return (self.conversation.snapshot(state=False)).status

    def _snapshot(self) -> Snapshot | None:
        """Returns the execution of the conversation, None without one."""
        try:
            snapshot = self.conversation.snapshot(state=False)
        except NotFound:
            return None
        return snapshot if snapshot.execution else None

    def give_up(self, step: Step) -> None:
        """Releases a node that was not completed, so that others need not wait for its lease."""
        if step.completed is None and not step.given_up:
            step.given_up = True
            self._release(step.node, step.lease)

    def _release(self, node: str, lease: str) -> None:
        with suppress(CtxAdminError):  # it is no longer claimed, or its lease expires soon
            self.conversation.release_node(node, lease)

    def _first_free(self, nodes: Sequence[str]) -> Step | None:
        """Claims and enters the first node that is free; returns None if there is none.

        If the node cannot be entered, the claim is released and the error raised.
        """
        for node in nodes:
            try:
                lease = str((self.conversation.claim_node(node, self.ttl))["lease"])
            except InvalidState:
                continue  # somebody else holds it or has completed it
            try:
                entered = self._enter(node)
            except InvalidState:
                self._release(node, lease)
            except Refused:
                self._release(node, lease)
                raise
            else:
                return Step(self, node, lease, entered)
        return None

    def _enter(self, node: str) -> Entered:
        """Returns the context of a node; only the messages that are new to this worker are sent."""
        if self.provider is not None:
            return self.conversation.enter(node, provider=self.provider)
        before = self._entered.get(node)
        known = {"revision": before.revision, "count": before.count} if before else None
        entered = self.conversation.enter(node, known=known)
        if before is not None:
            had = before.messages[: entered.messages_from]
            entered = replace(entered, messages=[*had, *entered.messages])
        self._entered[node] = entered
        return entered
