"""A small reference engine: it walks a workflow and knows the server only by REST."""

import os
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import uuid4

import httpx
from pydantic import JsonValue

from demo import script
from demo.script import Said

ENDED: Final = frozenset({"COMPLETED", "FAILED", "CANCELLED"})
Message = dict[str, JsonValue]


class ServerRefused(Exception):
    """The server answered with a problem; the text is its code and detail."""


@dataclass
class Engine:
    """One run of one workflow over one conversation.

    Each step costs two calls: *enter* gives the context of a node, *complete* takes its result.
    ``tell`` is told in words what happens; ``delay`` is in seconds, so that one can watch.
    ``scripted`` asks no model, whatever the environment says.
    """

    client: httpx.Client
    workflow: str
    conversation: str
    tell: Callable[[str], None]
    delay: float = 0.0
    scripted: bool = False
    visits: Counter[str] = field(default_factory=Counter)

    def start(self, question: str) -> None:
        """Make the conversation and its execution, and put the question in."""
        opening: list[JsonValue] = [
            {"role": "system", "content": script.SYSTEM},
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

    def run(self, *, wait: bool = True, most_steps: int = 200) -> str:
        """Step until the execution ends; the last status is returned.

        While it is PAUSED a person has the word: the engine waits, or stops if not ``wait``.
        """
        told = ""
        for _ in range(most_steps):
            snapshot = self._get(self._path("snapshot"))
            status = str(snapshot["status"])
            if status in ENDED or (status == "PAUSED" and not wait):
                self.tell(f"the execution is {status}")
                return status
            if status == "PAUSED":
                if told != status:
                    self.tell(f"waiting for a person at {snapshot['current_node_id']!r}")
                time.sleep(max(self.delay, 1.0))
            for node in _texts(snapshot["ready_nodes"]) if status != "PAUSED" else ():
                self.step(node)
            told = status
        return "RUNNING"

    def step(self, node: str) -> None:
        """Enter one node, do its work, complete it."""
        time.sleep(self.delay)
        entered = self._post(self._path(f"nodes/{node}/enter"))
        context, messages = entered["context"], _objects(entered["messages"])
        said = self._work(node, context, messages)
        result: dict[str, JsonValue] = {"response": said.response}
        if said.error is not None:
            result["error"] = said.error
        elif said.response:
            result["output"] = said.response
        answer = self._post(
            self._path(f"nodes/{node}/complete"),
            checkpoint_id=f"{node}-{uuid4().hex[:12]}",
            result=result,
            messages=list(said.messages),
            state_data=dict(said.state),
        )
        self.visits[node] += 1
        self.tell(f"{node}: version {answer['version']}, {answer['status']}")

    def _work(
        self, node: str, context: JsonValue, messages: Sequence[dict[str, JsonValue]]
    ) -> Said:
        waiting = _open_calls(messages)
        if waiting:
            return self._tools(waiting)
        turn = self.visits[node]
        scripted = script.say(self.workflow, node, turn)
        model = os.environ.get("OPENAI_BASE_URL") and not self.scripted
        if model and scripted.messages and not _calls(scripted):
            return self._ask_model(context, messages)
        return scripted

    def _tools(self, calls: Sequence[dict[str, JsonValue]]) -> Said:
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
        return Said(messages=tuple(answers), state=state, response=f"{len(answers)} look-ups")

    def _ask_model(self, context: JsonValue, messages: Sequence[Message]) -> Said:
        """One answer of an OpenAI-compatible endpoint (OPENAI_BASE_URL, _API_KEY, _MODEL)."""
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
        text = str(reply.json()["choices"][0]["message"]["content"])
        return Said(messages=({"role": "assistant", "content": text},), response=text)

    def _path(self, rest: str) -> str:
        return f"/conversations/{self.conversation}/{rest}"

    def _get(self, path: str) -> dict[str, JsonValue]:
        return _answer(self.client.get(f"/api/v1{path}"))

    def _post(self, path: str, **body: JsonValue) -> dict[str, JsonValue]:
        return _answer(self.client.post(f"/api/v1{path}", json=body))


def _answer(response: httpx.Response) -> dict[str, JsonValue]:
    answer: dict[str, JsonValue] = response.json()
    if response.is_error:
        raise ServerRefused(f"{answer.get('code')}: {answer.get('detail')}")
    return answer


def _open_calls(messages: Sequence[dict[str, JsonValue]]) -> list[dict[str, JsonValue]]:
    """The tool calls of the visible messages that have no result behind them yet."""
    answered = {each.get("tool_call_id") for each in messages if each.get("role") == "tool"}
    return [
        call
        for each in messages
        for call in _objects(each.get("tool_calls"))
        if call.get("id") not in answered
    ]


def _calls(said: Said) -> bool:
    return any("tool_calls" in message for message in said.messages)


def _objects(value: JsonValue) -> list[dict[str, JsonValue]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _texts(value: JsonValue) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
