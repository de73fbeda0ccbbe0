"""Published workflows and executions by REST, for the tests of executions."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from django.apps import apps

from conversations.models import Conversation
from ctxadmin.identity.roles import Scope
from tests.factories import Api, conversation, engine
from workflows.domain.document import graph
from workflows.services import use_cases as workflows

REVIEW = {"pause": "before", "pause_reason": "look at this"}


def node(node_id: str, type_: str = "task", **fields: Any) -> dict[str, Any]:
    return {"id": node_id, "type": type_, **fields}


def edge(from_node: str, to_node: str, type_: str = "sequence", **fields: Any) -> dict[str, Any]:
    """An edge that is called ``from-to``."""
    name = f"{from_node}-{to_node}"
    return {"id": name, "type": type_, "from": from_node, "to": to_node, **fields}


def when(from_node: str, to_node: str, condition: str) -> dict[str, Any]:
    """A conditional edge."""
    return edge(from_node, to_node, "conditional", condition=condition)


def publish(
    slug: str, nodes: Sequence[dict[str, Any]], edges: Sequence[dict[str, Any]], **fields: Any
) -> int:
    """Publish a workflow; its version."""
    designer = engine(Scope.DESIGN)
    workflows.create(designer, workflows.NewWorkflow(slug=slug))
    document = graph.read({"name": slug, "nodes": list(nodes), "edges": list(edges), **fields})
    workflows.save_draft(designer, slug, document, 0)
    return workflows.publish(designer, slug, 1).version


def chain(slug: str, *names: str, configs: dict[str, Any] | None = None) -> int:
    """Publish nodes that follow each other, with the configs of some."""
    nodes = [node(name, config=(configs or {}).get(name, {})) for name in names]
    return publish(slug, nodes, [edge(*pair) for pair in pairwise(names)])


class Run:
    """The execution of one conversation by REST."""

    def __init__(self, api: Api, head: Conversation) -> None:
        self.api = api
        self.head = head
        self.path = f"/conversations/{head.public_id}"

    @classmethod
    def start(cls, workflow: str | None = None, api: Api | None = None, **body: Any) -> "Run":
        """A new conversation with an execution."""
        run = cls(api or Api(), conversation())
        answer = run.post("executions", {"workflow": workflow, **body})
        assert answer.status_code == 201, answer.content
        return run

    def by(self, *scopes: Scope) -> "Run":
        """The same execution by someone else."""
        return Run(Api(scopes), self.head)

    def get(self, path: str, **headers: str) -> Any:
        return self.api.get(f"{self.path}/{path}", **headers)

    def post(self, path: str, body: object = None, **headers: str) -> Any:
        return self.api.post(f"{self.path}/{path}", body, **headers)

    def save(self, checkpoint_id: str, node_id: str = "a", **body: Any) -> Any:
        body = {"node_id": node_id, "state_data": {}, **body}
        return self.api.put(f"{self.path}/checkpoints/{checkpoint_id}", body)

    def complete(self, node_id: str, checkpoint_id: str | None = None, **body: Any) -> Any:
        body = {"checkpoint_id": checkpoint_id or f"done-{node_id}", **body}
        return self.post(f"nodes/{node_id}/complete", body)

    def enter(self, node_id: str, **body: Any) -> Any:
        return self.post(f"nodes/{node_id}/enter", body)

    def update(self, node_id: str, **body: Any) -> Any:
        return self.api.patch(f"{self.path}/snapshot", {"node_id": node_id, **body})

    def append(self, *messages: dict[str, Any]) -> Any:
        return self.post("messages", {"messages": list(messages)})

    def pause_now(self, checkpoint_id: str = "paused", **body: Any) -> None:
        """Save a checkpoint of node ``a`` that pauses the execution."""
        answer = self.save(checkpoint_id, status="PAUSED", **body)
        assert answer.status_code == 201, answer.content

    def snapshot(self) -> Any:
        return self.get("snapshot").json()

    def state(self) -> Any:
        """The state without messages."""
        state = self.snapshot()["state_data"]
        del state["messages"]
        return state

    def contents(self) -> list[str]:
        """The contents of the visible messages."""
        return [message["content"] for message in self.snapshot()["state_data"]["messages"]]

    def versions(self) -> list[Any]:
        """The list of checkpoints, the newest first."""
        results: list[Any] = self.get("checkpoints").json()["results"]
        return results


def ok(answer: Any) -> Any:
    """The JSON of an answer that must be a success."""
    assert answer.status_code < 300, answer.content
    return answer.json()


def everything() -> dict[str, list[Any]]:
    """All rows of all tables that a change of a conversation may touch."""
    return {
        model._meta.db_table: sorted(map(repr, model._default_manager.values()))
        for app in ("checkpoints", "conversations", "audit", "web", "workflows")
        for model in apps.get_app_config(app).get_models()
    }


def refused(answer: Any, status: int, code: str, pointer: str | None = None) -> Any:
    """The problem of a refused call, of this kind and at this place."""
    assert answer.status_code == status, answer.content
    problem = answer.json()
    assert problem["code"] == code
    if pointer is not None:
        assert [error["pointer"] for error in problem["errors"]] == [pointer]
    return problem
