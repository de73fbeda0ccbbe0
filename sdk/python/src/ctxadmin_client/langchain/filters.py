"""A middleware for agents: the model gets only the messages that pass ctxadmin's filters.

agent = create_agent(model, tools, middleware=[CtxAdminFilters(client, steps=[...])])
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import BaseMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from ctxadmin_client import Client
from ctxadmin_client.answers import JsonObject
from ctxadmin_client.calls import Call, path
from ctxadmin_client.langchain.messages import from_stored, is_shown_alike, to_stored
from ctxadmin_client.langchain.values import is_plain

_LOGGER: Final = logging.getLogger(__name__)


class CtxAdminFilters(AgentMiddleware[Any, Any, Any]):
    """Filters the messages of each model call; the state of the agent keeps all of them.

    ``steps`` are those of ``POST /filters/apply``. With ``workflow`` and ``node`` instead, the
    steps are the input filters of that node in the published version, which is looked up before
    each call: a newly published version applies from the next call on. Other values of the agent's
    state are variables for conditions. Any token is enough, since nothing is stored. A call whose
    messages cannot be filtered fails, so that no message is sent unfiltered.
    """

    def __init__(
        self,
        client: Client,
        *,
        steps: Sequence[Mapping[str, Any]] | None = None,
        workflow: str | None = None,
        node: str | None = None,
    ) -> None:
        super().__init__()
        if (steps is None) == (workflow is None or node is None):
            raise ValueError("give either steps, or a workflow and a node")
        self._client = client
        self._steps = steps
        self._workflow = workflow or ""
        self._node = node or ""
        self._published: tuple[int, Sequence[JsonObject]] | None = None
        self._serde = JsonPlusSerializer()

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ModelResponse[Any]:
        """Calls the model with the filtered messages."""
        return handler(self._filtered(request))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Calls the model with the filtered messages."""
        return await handler(await asyncio.to_thread(self._filtered, request))

    def _filtered(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        """Returns the request with the messages that pass the filters."""
        given = {f"m{number}": message for number, message in enumerate(request.messages)}
        sent = {name: to_stored(each, self._serde, name) for name, each in given.items()}
        state: Mapping[str, Any] = request.state
        variables = {
            name: value for name, value in state.items() if name != "messages" and is_plain(value)
        }
        body = {
            "context": {"variables": variables},
            "messages": [_without_metadata(each) for each in sent.values()],
            "steps": self._steps_now(),
        }
        send = self._client.transport.send
        answer = send(Call("POST", path("filters", "apply"), body=body))
        for warning in answer["warnings"]:
            _LOGGER.warning("filters of ctxadmin: %s", warning["code"])
        passed: list[Any] = [self._back(each, given, sent) for each in answer["messages"]]
        return request.override(messages=passed)

    def _back(
        self,
        passed: Mapping[str, Any],
        given: Mapping[str, BaseMessage],
        sent: Mapping[str, JsonObject],
    ) -> BaseMessage:
        """Returns the original message, or a new one if filters changed or added it."""
        name = str(passed["id"])
        if name not in given:
            return from_stored({**passed, "id": None}, self._serde)
        if is_shown_alike(passed, sent[name]):
            return given[name]
        changed = {**passed, "metadata": sent[name].get("metadata")}
        return from_stored(changed, self._serde).model_copy(update={"id": given[name].id})

    def _steps_now(self) -> Sequence[Mapping[str, Any]]:
        """Returns the given steps, or those of the node in the published version."""
        if self._steps is not None:
            return self._steps
        send, where = self._client.transport.send, ("workflows", self._workflow)
        number = send(Call("GET", path(*where)))["published_version"]
        if number is None:
            raise ValueError(f"the workflow {self._workflow!r} has no published version")
        if self._published is None or self._published[0] != number:
            version = send(Call("GET", path(*where, "versions", str(number))))
            self._published = (number, _input_steps(version["document"], self._node))
        return self._published[1]


def _without_metadata(stored: JsonObject) -> JsonObject:
    return {name: value for name, value in stored.items() if name != "metadata"}


def _input_steps(document: Mapping[str, Any], name: str) -> Sequence[JsonObject]:
    """Returns the input filters of a node: those of its type, then its own."""
    node = next((each for each in document["nodes"] if each["id"] == name), None)
    if node is None:
        raise ValueError(f"the published version has no node {name!r}")
    own = {"context_filter": node["context_filter"]} if node.get("context_filter") else {}
    if node.get("context_type"):
        return [{"context_type": node["context_type"], **own}]
    typed: JsonObject = {"node_type": node["type"]}
    return [typed, own] if own else [typed]
