"""A small reference engine: runs a workflow and knows the server only by REST."""

import os
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import httpx
from pydantic import JsonValue

from demo import script
from demo.script import NodeResult

ENDED: Final = frozenset({"COMPLETED", "FAILED", "CANCELLED"})
MOST_STEPS: Final = 200  # of one run: a loop in a workflow must not continue for ever
_WAIT_SECONDS: Final = 50  # of one call; the server allows 60
_TOO_MUCH: Final = frozenset({"rate_limited", "unavailable"})
Message = dict[str, JsonValue]


class ServerRefused(Exception):
    """The server answered with a problem; the text is its code and detail."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.code = text.partition(":")[0]


@dataclass
class Engine:
    """One run of one workflow over one conversation.

    Each step costs two calls: *enter* returns the context of a node, *complete* sends its result.
    ``tell`` receives what happens in words; ``delay`` is in seconds, for watching. ``scripted``
    asks no model, whatever the environment says.
    """

    client: httpx.Client
    workflow: str
    conversation: str
    tell: Callable[[str], None]
    delay: float = 0.0
    scripted: bool = False
    visits: Counter[str] = field(default_factory=Counter)

    def start(self, question: str) -> None:
        """Creates the conversation and its execution, and appends the question."""
        opening: list[JsonValue] = [
            {"role": "system", "content": script.system(self.workflow)},
            {"role": "user", "content": question},
        ]
        self._post(
            "/conversations",
            id=self.conversation,
            title=textwrap.shorten(question, 80, placeholder=" …"),
            workflow=self.workflow,
            messages=opening,
            tools=script.TOOLS,
        )
        self._post(self._path("executions"), workflow=self.workflow, input=question)
        self.tell(f"started {self.workflow!r} on the conversation {self.conversation}")

    def resume(self) -> None:
        """Continues an execution that another run of this engine left."""
        snapshot = self._snapshot()
        self.workflow = str(snapshot["workflow"])
        self.visits = Counter(_texts(snapshot["executed_node_ids"]))
        self.tell(f"continuing {self.workflow!r} on the conversation {self.conversation}")

    def run(self, *, wait: bool = True, most_steps: int = MOST_STEPS) -> str:
        """Steps until the execution ends; returns the last status.

        While it is PAUSED the engine waits for a person, as long as it takes, or stops if not
        ``wait``. Only completed nodes count as steps.
        """
        steps, reported = 0, ""
        while True:
            snapshot = self._snapshot()
            status, ready = str(snapshot["status"]), _texts(snapshot["ready_nodes"])
            if status in ENDED:
                self.tell(f"the execution is {status}{self._why(status)}")
                return status
            if status == "RUNNING" and ready:
                if steps == most_steps:
                    self.tell(f"stopped after {steps} steps; the execution is RUNNING")
                    return status
                steps, reported = steps + 1, ""
                self._try_step(ready[0])
                continue
            waits_for = _waits_for(snapshot)
            if not wait:
                self.tell(f"the execution is {status}: {waits_for}")
                return status
            if reported != waits_for:
                self.tell(f"waiting for {waits_for}")
            reported = waits_for
            self._wait_for_change(snapshot)

    def _try_step(self, node: str) -> None:
        """Steps, unless someone else changed the execution since it was read."""
        try:
            self.step(node)
        except ServerRefused as refused:
            if refused.code not in ("invalid_state", "duplicate"):
                raise
            self.tell(f"{node}: {refused}; checking again")

    def _wait_for_change(self, snapshot: Mapping[str, JsonValue]) -> None:
        """Waits for a version after the known one, whoever writes it.

        A server that restarts or is overloaded is asked again.
        """
        query = f"wait?after_version={snapshot['version']}&timeout={_WAIT_SECONDS}"
        is_reported = False
        while True:
            try:
                answer = self._get(self._path(query), timeout=_WAIT_SECONDS + 10)
                if answer["changed"]:
                    return
                is_reported = False
            except (httpx.TransportError, ServerRefused) as error:
                if isinstance(error, ServerRefused) and error.code not in _TOO_MUCH:
                    raise
                if not is_reported:
                    self.tell(f"the server does not respond ({error}); trying again")
                is_reported = True
                time.sleep(max(self.delay, 1.0))

    def _why(self, status: str) -> str:
        """Returns why an execution ended, by its latest version."""
        listed = _objects(self._get(self._path("checkpoints?limit=1"))["results"])
        newest = listed[0] if listed else {}
        reason = f": {newest['reason']}" if newest.get("reason") else ""
        if newest.get("move"):
            return f" ({newest['move']} by {newest['author']}{reason})"
        if status == "COMPLETED":
            return ": all nodes are completed"
        return f" at {newest.get('node_id')!r}{reason}"

    def step(self, node: str) -> None:
        """Enters one node, does its work, completes it."""
        time.sleep(self.delay)
        entered = self._post(self._path(f"nodes/{node}/enter"))
        context, messages = entered["context"], _objects(entered["messages"])
        output = self._work(node, context, messages)
        result: dict[str, JsonValue] = {"response": output.response}
        if output.error is not None:
            result["error"] = output.error
        elif output.response:
            result["output"] = output.response
        more: dict[str, JsonValue] = {} if output.usage is None else {"usage": dict(output.usage)}
        answer = self._post(
            self._path(f"nodes/{node}/complete"),
            checkpoint_id=f"{node}-v{entered['version']}-{str(entered['execution'])[-8:]}",
            result=result,
            messages=list(output.messages),
            state_data=dict(output.state),
            **more,
        )
        self.visits[node] += 1
        self.tell(f"{node}: version {answer['version']}, {answer['status']}")

    def _work(
        self, node: str, context: JsonValue, messages: Sequence[dict[str, JsonValue]]
    ) -> NodeResult:
        waiting = _open_calls(messages)
        if waiting:
            return self._tools(waiting)
        turn = self.visits[node]
        scripted = script.scripted_result(self.workflow, node, turn)
        model = os.environ.get("OPENAI_BASE_URL") and not self.scripted
        if model and scripted.messages and not _calls(scripted):
            return self._ask_model(context, messages)
        read = sum(len(str(each.get("content") or "")) for each in messages)
        return replace(scripted, usage=script.reported_usage(node, turn, read, scripted.response))

    def _tools(self, calls: Sequence[dict[str, JsonValue]]) -> NodeResult:
        answers: list[dict[str, JsonValue]] = []
        state: dict[str, JsonValue] = {}
        for call in calls:
            function = call["function"]
            name = str(function["name"]) if isinstance(function, dict) else ""
            found = script.run_tool(name, self.visits["tools"])
            state |= found.state
            answers.append(
                {
                    "role": "tool",
                    "tool_call_id": call["id"],
                    "name": name,
                    "content": found.response,
                }
            )
        return NodeResult(messages=tuple(answers), state=state, response=f"{len(answers)} look-ups")

    def _ask_model(self, context: JsonValue, messages: Sequence[Message]) -> NodeResult:
        """Returns one answer of an OpenAI-compatible endpoint (OPENAI_BASE_URL, _API_KEY,
        _MODEL).
        """
        template = str(context.get("template", "")) if isinstance(context, dict) else ""
        known = ("role", "content", "name", "tool_calls", "tool_call_id")
        chat: list[JsonValue] = [{"role": "system", "content": template}] if template else []
        chat += [{key: each[key] for key in known if key in each} for each in messages]
        reply = httpx.post(
            os.environ["OPENAI_BASE_URL"].rstrip("/") + "/chat/completions",
            headers={"Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}"},
            json={"model": os.environ.get("OPENAI_MODEL", "default"), "messages": chat},
            timeout=120,
        )
        reply.raise_for_status()
        answer = reply.json()
        text = str(answer["choices"][0]["message"]["content"])
        message: Message = {"role": "assistant", "content": text}
        return NodeResult(messages=(message,), response=text, usage=_reported(answer))

    def _path(self, rest: str) -> str:
        return f"/conversations/{self.conversation}/{rest}"

    def _snapshot(self) -> dict[str, JsonValue]:
        return self._get(self._path("snapshot?keys="))

    def _get(self, path: str, timeout: float = 30) -> dict[str, JsonValue]:
        return _answer(self.client.get(f"/api/v1{path}", timeout=timeout))

    def _post(self, path: str, **body: JsonValue) -> dict[str, JsonValue]:
        return _answer(self.client.post(f"/api/v1{path}", json=body))


def _reported(answer: Mapping[str, Any]) -> Mapping[str, JsonValue] | None:
    """Returns the usage of a chat completion in the contract's names; None without one."""
    usage = answer.get("usage")
    if not isinstance(usage, dict):
        return None
    details = usage.get("prompt_tokens_details") or {}
    return {
        "model": str(answer.get("model") or os.environ.get("OPENAI_MODEL", "default")),
        "input_tokens": int(usage.get("prompt_tokens", 0)),
        "cached_tokens": int(details.get("cached_tokens") or 0),
        "output_tokens": int(usage.get("completion_tokens", 0)),
    }


def _answer(response: httpx.Response) -> dict[str, JsonValue]:
    answer: dict[str, JsonValue] = response.json()
    if response.is_error:
        raise ServerRefused(f"{answer.get('code')}: {answer.get('detail')}")
    return answer


def _waits_for(snapshot: Mapping[str, JsonValue]) -> str:
    """Returns in words what has to happen before the engine can continue."""
    pause = snapshot["pause"]
    if not isinstance(pause, dict):
        return f"someone to continue it; the execution is {snapshot['status']}"
    name = snapshot["current_node_name"] or pause["node_id"]
    words = f"a person to approve or reject at {name!r}"
    if pause["reason"]:
        words += f" ({pause['reason']})"
    if pause["deadline"]:
        words += f", until {pause['deadline']}: then {pause['outcome']}"
    return words


def _open_calls(messages: Sequence[dict[str, JsonValue]]) -> list[dict[str, JsonValue]]:
    """Returns the tool calls of the visible messages that have no result yet."""
    answered = {each.get("tool_call_id") for each in messages if each.get("role") == "tool"}
    return [
        call
        for each in messages
        for call in _objects(each.get("tool_calls"))
        if call.get("id") not in answered
    ]


def _calls(result: NodeResult) -> bool:
    return any("tool_calls" in message for message in result.messages)


def _objects(value: JsonValue) -> list[dict[str, JsonValue]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _texts(value: JsonValue) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
