"""The client: the entry point to everything in a workspace."""

from collections.abc import AsyncIterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import httpx

from ctxadmin_client._async.conversation import AsyncConversation
from ctxadmin_client._async.run import AsyncRun
from ctxadmin_client._async.transport import AsyncTransport, headers_of
from ctxadmin_client.answers import Event, JsonObject
from ctxadmin_client.calls import Call, Retries, address, new_key, path
from ctxadmin_client.errors import Duplicate


class AsyncClient:
    """A workspace of a ctxadmin server, accessed with one token.

    ``url`` is the address of the server (``http://127.0.0.1:8000``); ``http`` is an httpx client to
    use instead of a new one. ``retries`` says how often calls are repeated after temporary
    failures; the server does a repeated write only once. Raises ValueError if the address or the
    token is malformed.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        retries: Retries | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        base, headers = httpx.URL(address(url)), headers_of(token)
        self._http = http or httpx.AsyncClient()
        self._http.base_url = base
        self._http.headers.update(headers)
        self.transport = AsyncTransport(self._http, retries or Retries())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections to the server."""
        await self.transport.close()

    def conversation(self, conversation_id: str) -> AsyncConversation:
        """Returns a conversation by its id without a request; it need not exist yet."""
        return AsyncConversation(self.transport, conversation_id)

    async def create(
        self,
        conversation_id: str | None = None,
        *,
        title: str | None = None,
        workflow: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        messages: Sequence[Mapping[str, Any]] = (),
        tools: str | None = None,
        provider: str | None = None,
    ) -> AsyncConversation:
        """Creates a conversation, by default with a generated id; Duplicate if the id is taken.

        ``messages`` have the format of ``provider``; without one that of ctxadmin.
        """
        body: JsonObject = {
            "id": conversation_id,
            "title": title,
            "workflow": workflow,
            "metadata": metadata,
            "messages": list(messages) or None,
            "tools": tools,
        }
        given = {name: value for name, value in body.items() if value is not None}
        made = await self.transport.send(
            Call("POST", "/conversations", query={"format": provider}, body=given, key=new_key())
        )
        return self.conversation(str(made["id"]))

    async def ensure(self, conversation_id: str, **made: Any) -> AsyncConversation:
        """Returns the conversation with this id; creates it as ``create`` does if there is none."""
        try:
            return await self.create(conversation_id, **made)
        except Duplicate:
            return self.conversation(conversation_id)

    async def conversations(self, **query: Any) -> AsyncIterator[JsonObject]:
        """Yields conversations, newest first; filter by ``status=``, ``workflow=`` and ``q=``."""
        async for each in self.listed("/conversations", query):
            yield each

    async def search(self, words: str = "", **query: Any) -> AsyncIterator[JsonObject]:
        """Yields the texts that contain all words, latest first; pages are fetched as needed.

        Each hit has its kind, its place, a ``snippet`` and the ``marks`` in it. Filter by ``in_=``,
        ``status=``, ``workflow=``, ``role=``, ``tool=``, ``since=`` and ``archived=``, or by
        filters among the words (``tool:refund``). Texts of the last second can be missing.
        """
        given = {name.rstrip("_"): value for name, value in query.items()}
        async for each in self.listed("/search", {"q": words, **given}):
            yield each

    async def listed(self, where: str, query: Mapping[str, Any]) -> AsyncIterator[JsonObject]:
        """Yields all items of a list of the REST API; pages are fetched as needed."""
        cursor = None
        while True:
            page = await self.transport.send(Call("GET", where, query={**query, "cursor": cursor}))
            for each in page["results"]:
                yield each
            cursor = page["next"]
            if cursor is None:
                return

    async def events(
        self,
        after: str = "",
        *,
        kinds: Sequence[str] = (),
        status: Sequence[str] = (),
        workflow: str | None = None,
        beats: bool = False,
    ) -> AsyncIterator[Event]:
        """Yields the changes of all conversations as they happen, without end.

        Store the ``cursor`` of the last event that you processed and pass it as ``after`` when you
        start again; then no event is missed. Without it the feed starts now, with an event
        ``state`` that has the current cursor. An event ``reset`` means that changes after ``after``
        are no longer recorded. These two events have no conversation. With ``beats`` there is an
        event ``beat`` after about every 15 seconds without another event, so that a program can
        check the time.
        """
        query = Call(
            "GET",
            "/events",
            query={
                "kinds": ",".join(kinds) or None,
                "status": ",".join(status) or None,
                "workflow": workflow,
            },
        )
        async for sent in self.transport.stream(_below_base(query), after, beats=beats):
            known = {"what": sent.event, "conversation": "", "cursor": sent.id}
            yield Event.of({**known, **sent.data})

    def execution(
        self,
        conversation_id: str,
        *,
        workflow: str,
        input: str | None = None,
        state: Mapping[str, Any] | None = None,
        provider: str | None = None,
        ttl: int = 120,
        wait: bool = True,
        **made: Any,
    ) -> AsyncRun:
        """Returns an execution of ``workflow`` on a conversation, for ``async with``.

        It is started if the conversation has none, and otherwise continued: the same code run again
        after a crash goes on, and does nothing after the end of the execution. So use a new
        conversation for each question, or call ``append`` and ``start`` yourself. Raises
        OtherWorkflow if the conversation has an execution of another workflow. If there is no
        conversation, one is created with the arguments ``made`` of ``create``. Nodes get and return
        messages in the format of ``provider``: ``openai``, ``anthropic``, ``responses`` or
        ``vercel``. A node is claimed for ``ttl`` seconds; call ``renew`` for longer work, or
        another worker can claim it. Without ``wait`` the run stops where it needs a person.
        """
        begun = {"workflow": workflow, "input": input, "state": state}
        return AsyncRun(self, conversation_id, begun, made, provider=provider, ttl=ttl, wait=wait)


def _below_base(call: Call) -> str:
    return call.target.removeprefix(path("api", "v1"))
