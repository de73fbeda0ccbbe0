"""A client that openapi-python-client generates from the document works against a server."""

import copy
import importlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts import check_clients
from tests.live_server import LiveServer
from tests.openapi import contract
from tests.servers import Missing

RUNS = "executions_state_checkpoints"
CONVERSATION = "support-42"
STEPS = {"nodes": [{"id": "draft", "type": "llm"}], "edges": []}


@pytest.fixture(autouse=True)
def _generator() -> None:
    if not check_clients.GENERATOR.exists():
        told = "openapi-python-client is not installed: python -m scripts.environment clients"
        raise Missing(told)


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Imports a module of the generated package ``client``."""
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps(contract()))
    check_clients.python_client(document, tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return lambda name: importlib.import_module(f"client.{name}")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LiveServer]:
    with LiveServer(tmp_path / "server", {}, "--no-demo") as started:
        yield started


def test_a_generated_client_takes_a_conversation_through_a_node(
    generated: Callable[[str], Any], server: LiveServer
) -> None:
    token = server.token("engine", "design")
    client = generated("client").AuthenticatedClient(base_url=server.url, token=token)
    models = generated("models")

    def call(tag: str, name: str, model: str, body: object, *places: str) -> Any:
        module = generated(f"api.{tag}.{name}")
        answer = module.sync(*places, client=client, body=getattr(models, model).from_dict(body))
        assert not isinstance(answer, models.Problem), answer
        return answer

    flows, talks = "workflows_and_filters", "conversations"
    call(flows, "create_workflow", "CreateWorkflow", {"slug": "support", "name": "Support"})
    draft = {"document": {"name": "Support", **STEPS}, "expected_version": 0}
    saved = call(flows, "put_draft", "PutDraft", draft, "support")
    assert [each.severity for each in saved.problems if each.severity == "error"] == []
    call(flows, "publish_draft", "Publish", {"expected_version": 1}, "support")

    made = call(talks, "create_conversation", "CreateConversation", {"id": CONVERSATION})
    assert made.id == CONVERSATION
    messages = {"messages": [{"role": "user", "content": "Where is my parcel?"}]}
    appended = call(talks, "append_messages", "AppendMessages", messages, CONVERSATION)
    assert (appended.first_index, appended.count) == (0, 1)

    start = {"workflow": "support"}
    started = call(RUNS, "start_execution", "StartExecution", start, CONVERSATION)
    assert started.ready_nodes == ["draft"]
    entered = call(RUNS, "enter_node", "EnterNode", {}, CONVERSATION, "draft")
    assert [each.content for each in entered.messages] == ["Where is my parcel?"]
    done = {"checkpoint_id": "draft-v0", "result": {"response": "It arrives today."}}
    completed = call(RUNS, "complete_node", "CompleteNode", done, CONVERSATION, "draft")
    assert completed.status == "COMPLETED"

    missing = generated(f"api.{talks}.get_conversation").sync("no-such", client=client)
    assert missing.code == "not_found"


def test_what_the_generator_warns_of_fails_the_check(tmp_path: Path) -> None:
    document = copy.deepcopy(contract())
    body = document["paths"]["/api/v1/conversations"]["post"]["requestBody"]
    body["content"]["text/csv"] = {"schema": {"type": "string"}}
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(document))
    with pytest.raises(check_clients.Failed, match="text/csv"):
        check_clients.python_client(path, tmp_path)
