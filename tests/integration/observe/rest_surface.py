"""Calls of every operation of the contract, with one text in every field that takes content."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

CANARY = "c4n4ry"  # stands in no code and no id
TEXT = f"{CANARY} said this"
USER = {"role": "user", "content": TEXT, "name": CANARY, "metadata": {CANARY: TEXT}, CANARY: TEXT}
CALLS = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": CANARY, "type": "function", "function": {"name": CANARY, "arguments": TEXT}}
    ],
}
RESULT = {"role": "tool", "tool_call_id": CANARY, "content": TEXT}
STATE = {CANARY: TEXT, "deep": [{CANARY: TEXT}]}
CONTEXT = {
    "template": TEXT,
    "variables": {CANARY: TEXT, "llm.model": TEXT},
    "history": [{"node_id": CANARY, "prompt": TEXT, "response": TEXT, "metadata": {CANARY: TEXT}}],
    "metadata": {CANARY: TEXT},
}
CONDITION = f"context.{CANARY} === '{TEXT}'"
FILTER = {
    "rules": [
        {"type": "include", "pattern": f"{CANARY}*", "condition": CONDITION},
        {"type": "include", "pattern": "user", "target": "messages"},
    ],
    "default_behavior": "pass",
}
EDGE_FILTER = {"type": "selective", "include_patterns": [f"*{CANARY}*"]}
KEEP = {"operation": "filter", "filter": {"content_contains": [CANARY]}}
DOCUMENT = {
    "name": TEXT,
    "nodes": [
        {"id": "begin", "type": "start", "name": TEXT, "properties": {CANARY: TEXT}},
        {"id": "ask", "type": "task", "name": TEXT, "description": TEXT, "context_filter": FILTER},
    ],
    "edges": [
        {
            "id": "go",
            "type": "conditional",
            "from": "begin",
            "to": "ask",
            "condition": f"{CONDITION} || true",
        }
    ],
}
CHAT = {"messages": [{"role": "user", "content": TEXT}], "title": TEXT}


@dataclass(frozen=True)
class Call:
    """One call: the template of its path, what stands in its places, its body and query.

    The id in its answer is known as ``learns`` then; ``$name`` in a place stands for such an id.
    """

    method: str
    path: str
    body: Any = None
    query: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    learns: str = ""

    @property
    def route(self) -> str:
        return f"/api/v1{self.path}"

    @property
    def url(self) -> str:
        return self.route.format(**self.places)

    def url_with(self, learnt: Mapping[str, str]) -> str:
        """The url with the ids that former calls told."""
        named = {f"${name}": value for name, value in learnt.items()}
        places = {name: named.get(value, value) for name, value in self.places.items()}
        return self.route.format(**places)


def _of(name: str, method: str, path: str, body: Any = None, **more: Any) -> Call:
    """A call of one conversation, at ``path`` under it."""
    query = more.pop("query", {})
    places = {"conversation_id": name, **more}
    return Call(method, "/conversations/{conversation_id}" + path, body, query, places)


def every_operation() -> Iterator[Call]:
    """Calls that succeed one after the other, at least one of each operation."""
    yield from _workflows()
    yield from _conversations()
    yield from _executions()
    yield from _tools()
    yield from _webhooks()
    yield from _bulk_actions()
    yield Call("GET", "/audit", query={"actor": "nobody"})


def _workflows() -> Iterator[Call]:
    def one(method: str, path: str = "", body: Any = None, **more: Any) -> Call:
        query = more.pop("query", {})
        return Call(method, "/workflows/{slug}" + path, body, query, {"slug": "flow", **more})

    yield Call("POST", "/workflows", {"slug": "flow", "name": TEXT, "description": TEXT})
    yield Call("GET", "/workflows")
    yield one("GET")
    yield one("PATCH", body={"name": TEXT, "description": TEXT})
    yield one("PUT", "/draft", {"document": DOCUMENT, "expected_version": 0})
    yield one("PATCH", "/draft", {"changes": {"name": TEXT}, "expected_version": 1})
    yield one("GET", "/draft")
    yield one("POST", "/publish", {"note": TEXT, "expected_version": 2})
    yield one("GET", "/versions")
    yield one("GET", "/versions/{number}", number="1")
    yield one("GET", "/diff", query={"from": "1", "to": "draft"})
    yield one("GET", "/yaml")
    yield one("POST", "/preview", {"node": "ask", "context": CONTEXT, "messages": [USER]})
    yield one("POST", "/costs", {"document": DOCUMENT})
    policies = [{"name": CANARY, "messages": [KEEP]}, {"node": "ask"}]
    backtest = {"workflow": "flow", "policies": policies, "tools": [{CANARY: TEXT}]}
    uploaded = {**backtest, "upload": [{"messages": [USER, CALLS, RESULT]}]}
    yield Call("POST", "/backtests", backtest)
    yield Call("POST", "/backtests", uploaded, learns="backtest")
    yield Call("GET", "/backtests/{backtest_id}", places={"backtest_id": "$backtest"})
    yield Call("DELETE", "/backtests/{backtest_id}", places={"backtest_id": "$backtest"})
    yaml = f"name: {TEXT}\nnodes:\n  - id: n\n    type: start\nedges: []\n"
    yield Call("POST", "/workflows/import", {"yaml": yaml, "slug": "second"})
    yield Call("DELETE", "/workflows/{slug}", places={"slug": "second"})


def _conversations() -> Iterator[Call]:
    new = {"title": TEXT, "metadata": {CANARY: TEXT}, "tools": TEXT, "messages": [USER]}
    yield Call("POST", "/conversations", {"id": "one", **new})
    yield Call("GET", "/conversations", query={"q": TEXT})
    yield _of("one", "GET", "")
    yield _of("one", "PATCH", "", {"title": TEXT, "metadata": {CANARY: TEXT}, "tools": TEXT})
    yield _of("one", "POST", "/messages", {"messages": [CALLS, RESULT, USER]})
    yield _of("one", "GET", "/messages")
    yield _of("one", "GET", "/messages", query={"format": "anthropic"})
    yield _of("one", "GET", "/messages/{message}", message="0")
    yield _of("one", "GET", "/recalls")
    pin = {"pinned": True, "reason": TEXT}
    yield _of("one", "PATCH", "/messages/{message}", pin, message="0")
    yield _of("one", "PATCH", "/messages/{message}", {"pinned": False}, message="0")
    yield _of("one", "POST", "/messages/pop", {"reason": TEXT})
    yield _of("one", "POST", "/operations", {**KEEP, "reason": TEXT})
    yield _of("one", "POST", "/operations", {"operation": "clear", "clear": {}, "reason": TEXT})
    yield _of("one", "POST", "/batches", {"boundary": 1, "reason": TEXT})
    yield _of("one", "GET", "/batches")
    yield _of("one", "POST", "/rollback", {"batch": 1, "reason": TEXT})
    yield _of("one", "POST", "/restore", {"revision": 0, "reason": TEXT})
    yield _of("one", "GET", "/diff", query={"from": "0", "to": "1"})
    yield _of("one", "GET", "/export")
    yield _of("one", "POST", "/archive")
    yield _of("one", "POST", "/unarchive")
    yield Call("POST", "/conversations/import", CHAT)
    turn = {"messages": [{"role": "user", "content": [{"type": "text", "text": TEXT}]}]}
    yield Call("POST", "/conversations", {**turn, "system": TEXT}, {"format": "anthropic"})
    yield _of("one", "DELETE", "")


def _executions() -> Iterator[Call]:
    yield Call("POST", "/conversations", {"id": "run", "messages": [USER]})
    start = {"workflow": "flow", "input": STATE, "metadata": {CANARY: TEXT}, "start": True}
    yield _of("run", "POST", "/executions", start)
    yield _of("run", "GET", "/executions", query={"limit": "1"})
    yield _of("run", "POST", "/nodes/{node_id}/enter", {"explain": True}, node_id="begin")
    result = {
        "prompt": TEXT,
        "response": TEXT,
        "output": {CANARY: TEXT},
        "metadata": {CANARY: TEXT},
    }
    done = {"checkpoint_id": "c1", "result": result, "state_data": STATE, "messages": [USER]}
    done["usage"] = {"model": TEXT, "input_tokens": 3, "output_tokens": 1}
    rule = {"pattern": f"{CANARY}*", "input": 1.5, "output": 2}
    yield Call("PUT", "/prices", {"models": [rule], "expected_version": 0})
    yield Call("GET", "/prices", query={"model": TEXT})
    yield Call("GET", "/usage", query={"group": "node,model"})
    yield Call("GET", "/recalls", query={"group": "node,day"})
    yield Call("GET", "/search", query={"q": CANARY, "tool": CANARY})
    yield _of("run", "POST", "/nodes/{node_id}/complete", done, node_id="begin")
    yield _of("run", "GET", "/snapshot", query={"keys": CANARY})
    tried = {"document": DOCUMENT, "last": 2}
    yield Call("POST", "/workflows/{slug}/what-if", tried, places={"slug": "flow"})
    failed = {"checkpoint_id": "c2", "result": {"error": {"message": TEXT}}}
    yield _of("run", "POST", "/nodes/{node_id}/complete", failed, node_id="ask")
    yield from _free_executions()


def _free_executions() -> Iterator[Call]:
    save = {"node_id": TEXT, "state_data": STATE, "messages": [USER], "status": "PAUSED"}
    save |= {"metadata": {CANARY: TEXT}, "parent": "c0", "namespace": TEXT}
    save |= {"opaque": {f"{CANARY}-blob": {"type": CANARY, "base64": "YmxvYg=="}}}
    one = "/checkpoints/{checkpoint_id}"
    yield Call("POST", "/conversations", {"id": "free"})
    yield _of("free", "PUT", one, save, checkpoint_id="c1")
    yield _of("free", "PUT", one, save, checkpoint_id="c1")
    edit = {"node_id": TEXT, "state_data": {CANARY: TEXT}, "operations": [KEEP], "reason": TEXT}
    yield _of("free", "PATCH", "/snapshot", edit)
    yield _of("free", "GET", "/wait", query={"status": "PAUSED", "timeout": "0"})
    yield _of("free", "GET", "/events")
    query = {"namespace": TEXT, "metadata.step": TEXT, "before": "9", "include": "state,writes"}
    yield _of("free", "GET", "/checkpoints", query=query)
    yield _of("free", "GET", one, checkpoint_id="1")
    yield _of("free", "GET", "/checkpoints/diff", query={"from": "1", "to": "2"})
    yield _of("free", "POST", "/comments", {"text": TEXT, "key": CANARY, "version": 1})
    yield _of("free", "GET", "/comments")
    yield _of("free", "DELETE", "/comments/{number}", number="4")
    task, at = f"{one}/writes/{{task_id}}", {"checkpoint_id": "c1", "task_id": "t1"}
    write = {"channel": TEXT, "index": 0, "value": TEXT}
    yield _of("free", "PUT", task, {"writes": [write]}, **at)
    yield _of("free", "GET", task, **at)
    yield _of("free", "PUT", "/checkpoints/{version}/label", {"label": TEXT}, version="1")
    yield _of("free", "GET", "/labels")
    yield _of("free", "DELETE", "/checkpoints/{version}/label", version="1")
    yield _of("free", "POST", "/claim")
    yield _of("free", "POST", "/release")
    yield _of("free", "POST", "/approve", {"reason": TEXT})
    asks: dict[str, object] = {"node_id": TEXT, "state_data": STATE, "operations": [KEEP]}
    asks |= {"pause_before": TEXT, "pause_reason": TEXT, "new_execution": True}
    yield _of("free", "PUT", one, asks, checkpoint_id="asks")
    yield _of("free", "POST", "/approve", {"reason": TEXT})
    former = {"execution": "any", "id": "asks"}
    yield _of("free", "GET", "/checkpoints", query=former)
    yield _of("free", "POST", "/nodes/{node_id}/enter", {}, node_id=CANARY)
    yield _of("free", "POST", "/nodes/{node_id}/claim", {"ttl": 60}, node_id=CANARY)
    yield _of("free", "POST", "/nodes/{node_id}/release", {"lease": CANARY}, node_id="other")
    yield Call("GET", "/events", query={"workflow": TEXT, "kinds": "messages"})
    yield _of("free", "POST", "/pause", {"reason": TEXT})
    yield _of("free", "PUT", one, {**save, "status": None}, checkpoint_id="c2")
    version = "/checkpoints/{version}"
    yield _of("free", "POST", f"{version}/restore", {"reason": TEXT}, version="1")
    yield _of("free", "POST", f"{version}/fork", {"id": "fork", "title": TEXT}, version="1")
    yield _of("free", "POST", "/resume", {"reason": TEXT})
    yield _of("free", "PUT", one, save, checkpoint_id="c3")
    yield _of("free", "DELETE", one, checkpoint_id="1")
    yield _of("free", "POST", "/reject", {"reason": TEXT})
    yield _of("fork", "POST", "/cancel", {"reason": TEXT})


def _tools() -> Iterator[Call]:
    steps = [{"context_filter": FILTER}, {"edge_filter": EDGE_FILTER}]
    yield Call("POST", "/filters/apply", {"context": CONTEXT, "messages": [USER], "steps": steps})
    arrivals = [{"context": CONTEXT, "messages": [USER]}, {"context": CONTEXT}]
    yield Call("POST", "/filters/join", {"arrivals": arrivals})
    yield Call("POST", "/conditions/check", {"text": CONDITION, "context": CONTEXT})
    yield Call("POST", "/processor-configs/validate", KEEP)
    rules = [{"sourcePath": CANARY, "targetPath": CANARY}]
    yield Call("POST", "/processor-configs/migrate", {"processorType": "filter", "rules": rules})
    for registry in ("processors", "transforms", "reducers", "schemas"):
        yield Call("GET", f"/{registry}")
    yield Call("GET", "/schemas/{name}", places={"name": "truncate"})


def _webhooks() -> Iterator[Call]:
    wanted = {
        "name": TEXT,
        "url": f"https://{CANARY}.example/{CANARY}?{CANARY}",
        "kinds": ["execution.paused"],
        "workflow": "flow",
    }

    def one(method: str, path: str = "", body: Any = None, **more: str) -> Call:
        places = {"webhook_id": "$hook", **more}
        return Call(method, "/webhooks/{webhook_id}" + path, body, places=places)

    yield Call("POST", "/webhooks", wanted, learns="hook")
    yield Call("GET", "/webhooks")
    yield one("GET")
    yield one("PATCH", body={"name": TEXT})
    yield one("POST", "/secret")
    yield one("DELETE", "/secret/former")
    yield replace(one("POST", "/test"), learns="delivery")
    yield one("GET", "/deliveries")
    yield one("POST", "/deliveries/{delivery_id}/resend", delivery_id="$delivery")
    yield one("DELETE")


def _bulk_actions() -> Iterator[Call]:
    wanted = {"action": "archive", "filter": {"q": TEXT}}
    one = {"job_id": "$bulk"}
    yield Call("POST", "/bulk-actions/dry-run", wanted)
    yield Call("POST", "/bulk-actions", {**wanted, "reason": TEXT})
    named = {"action": "unarchive", "conversations": ["free"], "reason": TEXT}
    yield Call("POST", "/bulk-actions", named, learns="bulk")
    yield Call("GET", "/bulk-actions")
    yield Call("GET", "/bulk-actions/{job_id}", places=one)
    yield Call("GET", "/bulk-actions/{job_id}/items", places=one)
    yield Call("POST", "/bulk-actions/{job_id}/cancel", places=one)
