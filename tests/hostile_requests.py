"""Single requests that are made to cost a server much; the tests send them, the bench weighs them.

Each is what one caller can send with few lines of code. ``make`` gives the body again, as they take
megabytes. A conversation ``c`` with an execution is there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import orjson
from pydantic import JsonValue

YAML: Final = "application/yaml"
JSON: Final = "application/json"


Make = Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Hostile:
    """One request: what it is, where it goes, and how it is answered.

    ``scopes`` are those of its token, none wherever that is enough; ``pointer`` is the place of
    the first problem, None if there is none or if it is not worth holding.
    """

    name: str
    path: str
    make: Make
    status: int
    pointer: str | None = None
    scopes: Sequence[str] = ()
    method: str = "POST"
    content_type: str = JSON


def _json(make: Callable[[], JsonValue]) -> Make:
    return lambda: orjson.dumps(make())


def _ones(before: str, after: str, count: int = 2_000_000) -> Make:
    return lambda: f"{before}[{','.join(['1'] * count)}]{after}".encode()


def _names(count: int) -> dict[str, JsonValue]:
    return {"variables": {f"{number:06}.{'name' * 6}": 1 for number in range(count)}}


def _many_rules() -> JsonValue:
    rules: list[JsonValue] = [
        {"type": "exclude", "pattern": f"*x{number}*y{number}*"} for number in range(100)
    ]
    steps: list[JsonValue] = [{"context_filter": {"rules": rules}}] * 100
    return {"context": _names(25_000), "messages": [], "steps": steps}


def _few_rules() -> JsonValue:
    rules: list[JsonValue] = [{"type": "exclude", "pattern": f"*x{number}"} for number in range(40)]
    steps: list[JsonValue] = [{"context_filter": {"rules": rules}}] * 20
    return {"context": _names(2_500), "messages": [], "steps": steps}


def _short_messages() -> JsonValue:
    message: JsonValue = {"role": "user", "content": "x"}
    return {"context": {}, "messages": [message] * 50_000, "steps": []}


def _tool_results() -> JsonValue:
    messages: list[JsonValue] = [
        {"role": "tool", "tool_call_id": f"call-{number}", "content": "x"}
        for number in range(12_000)
    ]
    return {"context": {}, "messages": messages, "steps": []}


def _many_inserted() -> JsonValue:
    message: JsonValue = {"role": "user", "content": "x"}
    return {"operation": "insert", "insert": {"position": 0, "messages": [message] * 10_000}}


def _many_stars() -> JsonValue:
    rules: list[JsonValue] = [{"type": "include", "pattern": "*" + "a*" * 120}] * 100
    name = "a" * 240
    names: dict[str, JsonValue] = {f"{name}{number}": 1 for number in range(10_000)}
    steps: list[JsonValue] = [{"context_filter": {"rules": rules}}]
    return {"context": {"variables": names}, "messages": [], "steps": steps}


def _many_keywords() -> JsonValue:
    words: list[JsonValue] = [f"{number:04} keyword" for number in range(1_000)]
    operation: JsonValue = {"operation": "filter", "filter": {"content_excludes": words}}
    messages: list[JsonValue] = [{"role": "user", "content": "0" * 200}] * 5_000
    listed: list[JsonValue] = [operation] * 32
    steps: list[JsonValue] = [{"context_filter": {"rules": [], "messages": listed}}]
    return {"context": {}, "messages": messages, "steps": steps}


def _many_arrivals() -> JsonValue:
    patterns: list[JsonValue] = [f"*{number}*0*" for number in range(100)]
    edge_filter: JsonValue = {"type": "selective", "exclude_patterns": patterns}
    arrival: JsonValue = {"context": _names(2_500), "edge_filter": edge_filter}
    return {"arrivals": [arrival] * 30}


def _too_many_keys() -> JsonValue:
    return {"node_id": "a", "state_data": {f"k{number}": 1 for number in range(200_000)}}


def _most_keys() -> JsonValue:
    return {"node_id": "a", "state_data": {f"k{number}": 1 for number in range(4_999)}}


def _many_executed() -> JsonValue:
    return {"node_id": "a", "state_data": {}, "executed_node_ids": ["n"] * 300_000}


def _wide_key() -> JsonValue:
    return {"node_id": "a", "state_data": {"k": [{} for _ in range(1_000_000)]}}


def _many_parts() -> JsonValue:
    part: JsonValue = {"type": "text", "text": "x"}
    return {"messages": [{"role": "user", "content": [part] * 20_000}]}


def _many_messages() -> JsonValue:
    message: JsonValue = {"role": "user", "content": "x"}
    return {"messages": [message] * 300_000}


def _most_messages() -> JsonValue:
    message: JsonValue = {"role": "user", "content": "x"}
    return {"messages": [message] * 100_000}


def _metadata() -> JsonValue:
    return {"metadata": {f"k{number}": 1 for number in range(400_000)}}


def _long_condition() -> JsonValue:
    return {"text": " and ".join(["a == 1"] * 100_000), "context": {"variables": {"a": 1}}}


def _many_ranges() -> JsonValue:
    ranges: list[JsonValue] = [{"start": 0, "end": 1}] * 200_000
    return {"operation": "truncate", "truncate": {"remove_ranges": ranges}}


def _many_rules_of_1() -> JsonValue:
    rule: JsonValue = {"type": "x"}
    return {"processorType": "x", "rules": [rule] * 500_000}


def _deep() -> bytes:
    return b'{"metadata":' + b"[" * 4_000_000 + b"]" * 4_000_000 + b"}"


def _one_big_node() -> bytes:
    numbers = ",".join(["1"] * 400_000)
    return f"name: w\nnodes: [{{id: a, type: LLM, config: {{k: [{numbers}]}}}}]\n".encode()


def _aliases() -> bytes:
    lines = ["a0: &a0 [1,1,1,1,1,1,1,1,1,1]"]
    lines += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    return "\n".join(lines).encode()


def _many_runs() -> JsonValue:
    said: JsonValue = {"messages": [{"role": "user", "content": "x"}]}
    return [{"run_type": "llm", "inputs": said}] * 200_000


def _engine(name: str, path: str, make: Make, status: int, pointer: str | None = None) -> Hostile:
    method = "PUT" if path.startswith("/checkpoints") else "POST"
    return Hostile(name, f"/conversations/c{path}", make, status, pointer, ("engine",), method)


def _import(name: str, make: Make, status: int, pointer: str | None, *scopes: str) -> Hostile:
    return Hostile(name, "/workflows/import", make, status, pointer, scopes, content_type=YAML)


_HISTORY: Final = _ones('{"context":{"history":', '},"messages":[],"steps":[]}')
_NUMBERS: Final = _ones('{"messages":', "}")
_NO_WORKFLOW: Final = _ones("a: ", "\n")
_CONFIG: Final = "/processor-configs/validate"
_ENGINE: Final = ("engine",)

CORPUS: Final = (
    Hostile("100 x 100 rules on 25,000 names", "/filters/apply", _json(_many_rules), 413),
    Hostile("20 x 40 rules on 2,500 names", "/filters/apply", _json(_few_rules), 200),
    Hostile("50,000 messages of a letter", "/filters/apply", _json(_short_messages), 200),
    Hostile("12,000 tool results", "/filters/apply", _json(_tool_results), 200),
    _engine("10,000 messages inserted", "/operations", _json(_many_inserted), 200),
    Hostile("100 patterns of 120 stars", "/filters/apply", _json(_many_stars), 413),
    Hostile("32 x 1,000 keywords in 5,000 messages", "/filters/apply", _json(_many_keywords), 413),
    Hostile("30 arrivals of 2,500 names", "/filters/join", _json(_many_arrivals), 413),
    Hostile("a history of numbers", "/filters/apply", _HISTORY, 422, "/context/history/0"),
    Hostile("a long condition", "/conditions/check", _json(_long_condition), 422, "/text"),
    Hostile("a config of 500,000 rules", _CONFIG, _json(_many_rules_of_1), 422, ""),
    Hostile("messages that are numbers, by anyone", "/conversations", _NUMBERS, 403),
    _import("a workflow of numbers, by anyone", _NO_WORKFLOW, 403, None),
    _engine("messages that are numbers", "/messages", _NUMBERS, 422, "/messages/0"),
    _engine("300,000 messages", "/messages", _json(_many_messages), 422, "/messages"),
    Hostile("100,000 messages", "/conversations/import", _json(_most_messages), 201, None, _ENGINE),
    Hostile("200,000 runs", "/conversations/import", _json(_many_runs), 413, "", _ENGINE),
    _engine("a message of 20,000 parts", "/messages", _json(_many_parts), 201),
    Hostile("400,000 keys", "/conversations", _json(_metadata), 413, "/metadata", ("engine",)),
    _engine("lists 4,000,000 deep", "/executions", _deep, 422),
    _engine("200,000 ranges", "/operations", _json(_many_ranges), 422, "/truncate/remove_ranges"),
    _engine("200,000 state keys", "/checkpoints/1", _json(_too_many_keys), 422, "/state_data"),
    _engine("300,000 nodes", "/checkpoints/4", _json(_many_executed), 422, "/executed_node_ids"),
    _engine("1,000,000 objects in a key", "/checkpoints/2", _json(_wide_key), 201),
    _engine("4,999 state keys", "/checkpoints/3", _json(_most_keys), 201),
    _import("a workflow of numbers", _NO_WORKFLOW, 422, "/a/1022", "design"),
    _import("a node of 400,000 values", _one_big_node, 413, None, "design"),
    _import("aliases of aliases", _aliases, 422, "/a5/7", "design"),
)
