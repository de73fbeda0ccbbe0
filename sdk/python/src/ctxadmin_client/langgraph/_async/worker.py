"""A worker that continues graphs when people have decided."""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from langgraph.pregel import Pregel
from langgraph.types import Command, StateSnapshot

from ctxadmin_client._async.client import AsyncClient
from ctxadmin_client._async.conversation import AsyncConversation
from ctxadmin_client.errors import (
    CtxAdminError,
    InvalidState,
    NotFound,
    Unauthenticated,
    VersionConflict,
)
from ctxadmin_client.langgraph._async.saver import AsyncCtxAdminSaver
from ctxadmin_client.langgraph.decisions import (
    LOOKED_AT,
    Decision,
    decision_of,
    edited_payload,
    unanswered,
)
from ctxadmin_client.langgraph.renewal import AsyncRenewal
from ctxadmin_client.langgraph.schema import refused_edits, sentence
from ctxadmin_client.langgraph.threads import RESUMED, Stopped, pause_id, questions_in, thread_of

Answer = Callable[[Decision], Any]
_LOG: Final = logging.getLogger("ctxadmin_client.langgraph")
_DECIDED: Final = ("execution.approve", "execution.reject", "execution.resume")


async def aresume_on_decision(
    graph: Pregel[Any, Any, Any, Any],
    client: AsyncClient,
    *,
    answer: Answer = Decision.as_json,
    config: RunnableConfig | None = None,
    ttl: int = 120,
) -> None:
    """Continues the graph whenever somebody approves, rejects or resumes; runs without end.

    ``interrupt()`` returns the result of ``answer`` for the decision. Decisions made while no
    worker ran come first. Several workers can run this: one of them claims each decision for
    ``ttl`` seconds, and renews the claim while the graph runs; if it dies, another one takes over
    when the claim has expired. An error of the graph is logged, and the worker waits for the next
    decision. If an edit of the state has the wrong type for its key, or ``answer`` raises
    ValueError, the execution pauses again with the reason. Raises Unauthenticated if the token was
    revoked, NoAnswer if the server does not answer for as long as the client repeats its calls.
    """
    worker = _Worker(graph, client, answer, config or {}, ttl)
    async for event in client.events(kinds=["execution"], beats=True):
        if event.what in ("state", "reset"):
            await worker.look_at_all()
        elif event.what in _DECIDED:
            await worker.look_at(event.conversation)
        await worker.look_again()


async def aresume_decided(
    graph: Pregel[Any, Any, Any, Any],
    client: AsyncClient,
    *,
    answer: Answer = Decision.as_json,
    config: RunnableConfig | None = None,
    ttl: int = 120,
) -> int:
    """Handles the decisions made so far; returns how many graphs continued."""
    worker = _Worker(graph, client, answer, config or {}, ttl)
    await worker.look_at_all()
    return worker.resumed


class _Worker:
    """``held`` are conversations that other workers have claimed, with the time to look again."""

    def __init__(
        self,
        graph: Pregel[Any, Any, Any, Any],
        client: AsyncClient,
        answer: Answer,
        config: RunnableConfig,
        ttl: int,
    ) -> None:
        saver = graph.checkpointer
        if not isinstance(saver, AsyncCtxAdminSaver):
            raise TypeError("the graph has to be compiled with an AsyncCtxAdminSaver")
        self._graph = graph
        self._saver = saver
        self._client = client
        self._answer = answer
        self._config = config
        self._ttl = ttl
        self._held: dict[str, float] = {}
        self.resumed = 0

    async def look_at_all(self) -> None:
        """Handles every open decision of the workspace."""
        for status in ("RUNNING", "FAILED"):
            names = [str(each["id"]) async for each in self._client.conversations(status=status)]
            for name in names:
                await self.look_at(name)

    async def look_again(self) -> None:
        """Looks again at conversations of other workers whose claims have expired."""
        now = time.monotonic()
        for name in [name for name, at in self._held.items() if at <= now]:
            del self._held[name]
            await self.look_at(name)

    async def look_at(self, name: str) -> None:
        """Handles the decision of a conversation if there is one that nobody has claimed."""
        conversation = self._client.conversation(name)
        try:
            mark = await self._mark_of(conversation)
            decision = await self._decision(conversation) if mark is not None else None
            if mark is None or decision is None:
                return
            await self._claimed(conversation, thread_of(name, mark), decision)
        except NotFound:
            return  # erased
        except Unauthenticated:
            raise  # other conversations would fail in the same way
        except CtxAdminError:
            _LOG.exception("%s could not be taken up", name)
            self._held[name] = time.monotonic() + self._ttl

    async def _mark_of(self, conversation: AsyncConversation) -> Mapping[str, Any] | None:
        """Returns the mark of a conversation of this application, None for others."""
        found = await conversation.read()
        mark = (found.get("metadata") or {}).get("langgraph")
        is_ours = isinstance(mark, dict) and mark.get("app", "") == self._saver.app
        return mark if is_ours else None

    async def _decision(self, conversation: AsyncConversation) -> Decision | None:
        versions = []
        async for row in conversation.checkpoints(limit=LOOKED_AT):
            versions.append(row)
            if len(versions) == LOOKED_AT:
                break
        return decision_of(versions)

    async def _claimed(
        self, conversation: AsyncConversation, thread_id: str, decision: Decision
    ) -> None:
        """Runs the graph under a claim of the node at which it waited."""
        if decision.status == "FAILED":
            try:
                await conversation.resume(expected_version=decision.version, reason=RESUMED)
            except (InvalidState, VersionConflict):
                return  # another worker claimed it first
        try:
            lease = str((await conversation.claim_node(decision.node, self._ttl))["lease"])
        except InvalidState:
            self._held[conversation.id] = time.monotonic() + self._ttl
            return
        try:
            if await self._decision(conversation) is None:
                return  # another worker did it before the claim
            self.resumed += await self._go_on(conversation, thread_id, decision, lease)
        except Unauthenticated:
            raise
        except Stopped as error:
            _LOG.warning("%s: %s", conversation.id, error)
        except Exception:  # noqa: BLE001 - the graph's own code, and others wait for the worker
            _LOG.exception("the graph of %s failed", conversation.id)
        finally:
            try:
                await conversation.release_node(decision.node, lease)
            except CtxAdminError:
                _LOG.debug("the claim of %s had ended", conversation.id)

    async def _go_on(
        self, conversation: AsyncConversation, thread_id: str, decision: Decision, lease: str
    ) -> bool:
        """Invokes the graph with the decision; False if it has nothing to do, or cannot."""
        named = {**self._config.get("configurable", {}), "thread_id": thread_id}
        config: RunnableConfig = {**self._config, "configurable": named}
        state = await self._graph.aget_state(config)
        if await self._refused(conversation, state, decision):
            return False
        self._saver.forget_reads(thread_id)
        command: Command[Any] | None = None
        if state.interrupts:
            try:
                value = self._value(thread_id, state, decision)
            except ValueError as error:
                await self._pause_again(conversation, decision, unanswered(error))
                return False
            several = {each.id: value for each in state.interrupts}
            command = Command(resume=several if len(several) > 1 else value)
        elif not state.tasks:
            return False  # nothing to do; a task that ended is not in state.next, but in tasks
        async with AsyncRenewal(conversation, decision.node, self._ttl, lease):
            await self._graph.ainvoke(command, config)
        return True

    def _value(self, thread_id: str, state: StateSnapshot, decision: Decision) -> Any:
        """Returns the application's answers to everything that the graph asks."""
        questions = questions_in(state.interrupts)
        edited = edited_payload(self._saver.payload(thread_id), questions)
        question = questions[0] if len(questions) == 1 else questions
        return self._answer(replace(decision, edited=edited, asked=question))

    async def _refused(
        self, conversation: AsyncConversation, state: StateSnapshot, decision: Decision
    ) -> bool:
        """Pauses again with the reason if the graph cannot use people's edits."""
        saved = await self._graph.aget_state(state.config)
        builder = getattr(self._graph, "builder", None)
        refused = refused_edits(builder, saved.values, state.values)
        if not refused:
            return False
        await self._pause_again(conversation, decision, sentence(refused))
        return True

    async def _pause_again(
        self, conversation: AsyncConversation, decision: Decision, reason: str
    ) -> None:
        await conversation.save(
            pause_id(f"{decision.node}|edited", decision.version),
            decision.node,
            pause_before=decision.node,
            pause_reason=reason,
        )
