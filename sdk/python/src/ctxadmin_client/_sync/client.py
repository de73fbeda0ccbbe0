"""The client: where everything of a workspace begins."""

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
    """A workspace of a ctxadmin server, seen with one token.

    ``url`` is the server's (``http://127.0.0.1:8000``), ``http`` an httpx client of your own that
    is used instead of a new one. Every call is repeated by ``retries`` until it counts; a write
    that is repeated is done once. ValueError if the address or the token cannot be one.
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
        """Close the connections to the server."""
        self.transport.close()

    def conversation(self, conversation_id: str) -> Conversation:
        """A conversation by its id; nothing is asked, so it need not exist yet."""
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
        """A new conversation, with a made id if none is given; Duplicate if the id is taken.

        The messages are as ``provider`` has them, or as in the contract.
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
        """The conversation with this id, made as ``create`` does if there is none."""
        try:
            return self.create(conversation_id, **made)
        except Duplicate:
            return self.conversation(conversation_id)

    def conversations(self, **query: Any) -> Iterator[JsonObject]:
        """All conversations, newest first; ``status=``, ``workflow=`` and ``q=`` choose."""
        for each in self.listed("/conversations", query):
            yield each

    def search(self, words: str = "", **query: Any) -> Iterator[JsonObject]:
        """The texts that have all words, latest first, page by page until you stop.

        Each has its kind, its place, a ``snippet`` and the ``marks`` in it. ``in_=``, ``status=``,
        ``workflow=``, ``role=``, ``tool=``, ``since=`` and ``archived=`` choose, as filters among
        the words do (``tool:refund``). What was written in the last second may be missing.
        """
        given = {name.rstrip("_"): value for name, value in query.items()}
        for each in self.listed("/search", {"q": words, **given}):
            yield each

    def listed(self, where: str, query: Mapping[str, Any]) -> Iterator[JsonObject]:
        """Everything in a list of the contract, page by page."""
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
        """The changes of all conversations as they come, without end.

        Keep the ``cursor`` of the event that you dealt with last, and give it as ``after`` when
        you start again: none is left out. Without it the feed begins now, with an event ``state``
        that has the cursor of now. An event ``reset`` tells that changes behind ``after`` are no
        longer on record. These two have no conversation. With ``beats`` an event ``beat`` comes
        about every 15 seconds in which nothing happened, for those who have to look at a clock.
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
        """One execution of ``workflow`` over a conversation, for ``with``.

        It is begun if the conversation has none, and taken up where it stands if it has one:
        whoever runs the same lines again after a crash goes on, and after its end has nothing to
        do. So each question has a conversation of its own, or is appended and started by calls
        (``append``, ``start``). OtherWorkflow if the execution is one of another workflow. The
        conversation is made with ``made`` (see ``create``) if there is none. Nodes get their
        messages as ``provider`` has them, and give them so: ``openai``, ``anthropic``,
        ``responses`` or ``vercel``. A node is claimed for ``ttl`` seconds: what takes longer calls
        ``renew``, or others may begin it, too. Without ``wait`` the run stops where only a person
        can go on.
        """
        begun = {"workflow": workflow, "input": input, "state": state}
        return Run(self, conversation_id, begun, made, provider=provider, ttl=ttl, wait=wait)


def _below_base(call: Call) -> str:
    return call.target.removeprefix(path("api", "v1"))
