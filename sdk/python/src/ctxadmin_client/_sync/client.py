"""The client: the entry point to everything in a workspace."""

from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import httpx

from ctxadmin_client._sync.conversation import Conversation
from ctxadmin_client._sync.run import Run
from ctxadmin_client._sync.transport import Transport, headers_of
from ctxadmin_client.answers import Event, JsonObject
from ctxadmin_client.calls import Call, Retries, address, new_key, path
from ctxadmin_client.errors import Duplicate


class Client:
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
        http: httpx.Client | None = None,
    ) -> None:
        base, headers = httpx.URL(address(url)), headers_of(token)
        self._http = http or httpx.Client()
        self._http.base_url = base
        self._http.headers.update(headers)
        self.transport = Transport(self._http, retries or Retries())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections to the server."""
        self.transport.close()

    def conversation(self, conversation_id: str) -> Conversation:
        """Returns a conversation by its id without a request; it need not exist yet."""
        return Conversation(self.transport, conversation_id)

    def create(
        self,
        conversation_id: str | None = None,
        *,
        title: str | None = None,
        workflow: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        messages: Sequence[Mapping[str, Any]] = (),
        tools: str | None = None,
        provider: str | None = None,
    ) -> Conversation:
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
        made = self.transport.send(
            Call("POST", "/conversations", query={"format": provider}, body=given, key=new_key())
        )
        return self.conversation(str(made["id"]))

    def ensure(self, conversation_id: str, **made: Any) -> Conversation:
        """Returns the conversation with this id; creates it as ``create`` does if there is none."""
        try:
            return self.create(conversation_id, **made)
        except Duplicate:
            return self.conversation(conversation_id)

    def conversations(self, **query: Any) -> Iterator[JsonObject]:
        """Yields conversations, newest first; filter by ``status=``, ``workflow=`` and ``q=``."""
        for each in self.listed("/conversations", query):
            yield each

    def search(self, words: str = "", **query: Any) -> Iterator[JsonObject]:
        """Yields the texts that contain all words, latest first; pages are fetched as needed.

        Each hit has its kind, its place, a ``snippet`` and the ``marks`` in it. Filter by ``in_=``,
        ``status=``, ``workflow=``, ``role=``, ``tool=``, ``since=`` and ``archived=``, or by
        filters among the words (``tool:refund``). Texts of the last second can be missing.
        """
        given = {name.rstrip("_"): value for name, value in query.items()}
        for each in self.listed("/search", {"q": words, **given}):
            yield each

    def listed(self, where: str, query: Mapping[str, Any]) -> Iterator[JsonObject]:
        """Yields all items of a list of the REST API; pages are fetched as needed."""
        cursor = None
        while True:
            page = self.transport.send(Call("GET", where, query={**query, "cursor": cursor}))
            for each in page["results"]:
                yield each
            cursor = page["next"]
            if cursor is None:
                return

    def events(
        self,
        after: str = "",
        *,
        kinds: Sequence[str] = (),
        status: Sequence[str] = (),
        workflow: str | None = None,
        beats: bool = False,
    ) -> Iterator[Event]:
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
        for sent in self.transport.stream(_below_base(query), after, beats=beats):
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
    ) -> Run:
        """Returns an execution of ``workflow`` on a conversation, for ``with``.

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
        return Run(self, conversation_id, begun, made, provider=provider, ttl=ttl, wait=wait)


def _below_base(call: Call) -> str:
    return call.target.removeprefix(path("api", "v1"))
