"""Imports of conversations of other programs over REST, with the report of each."""

import json

import pytest
from pydantic import JsonValue

from conversations.models import Conversation, Message
from tests.factories import Api, user
from tests.problems import assert_problem
from tests.shape_examples import EXAMPLES, Example, example

pytestmark = pytest.mark.django_db
PATH = "/conversations/import"


@pytest.fixture
def api() -> Api:
    return Api()


@pytest.mark.parametrize("each", EXAMPLES, ids=str)
def test_an_example_of_each_shape_is_imported_with_its_report(api: Api, each: Example) -> None:
    answer = api.post(PATH, each.value)
    assert answer.status_code == 201, answer.content
    found = answer.json()
    assert found["report"]["shape"] == each.shape
    assert found["report"]["messages"] == found["message_count"] == Message.objects.count()
    assert found["report"]["conversations"] == 1
    listed = api.get(f"/conversations/{found['id']}/messages?limit=1000").json()["results"]
    called = sum(len(message.get("tool_calls") or []) for message in listed)
    assert found["report"]["calls"] == called
    assert found["report"]["results"] == sum(each["role"] == "tool" for each in listed)


def test_the_report_tells_what_was_stored_as_what(api: Api) -> None:
    report = api.post(PATH, example("anthropic", "request")).json()["report"]
    assert {"source": "system", "target": "role: system", "count": 1} in report["taken"]
    assert {"source": "tool_use", "target": "tool_calls", "count": 1} in report["taken"]
    assert (report["left_out"], report["warnings"]) == ([], [])


def test_the_report_tells_what_was_left_out_and_where(api: Api) -> None:
    report = api.post(PATH, example("openai", "completion")).json()["report"]
    (noted,) = report["left_out"]
    assert noted.pop("why")
    assert noted == {"what": "choices", "count": 1, "pointer": "/choices/1", "line": None}
    assert report["left_out_count"] == 1


def test_an_export_is_reported_as_ours(api: Api) -> None:
    api.post("/conversations", {"id": "one", "messages": [user("hi")]})
    document = api.get("/conversations/one/export").json()
    report = api.post(PATH, document).json()["report"]
    assert (report["shape"], report["messages"], report["taken"]) == ("ctxadmin", 1, [])


def test_the_shape_can_be_asked_for(api: Api) -> None:
    assert (
        api.post(f"{PATH}?shape=anthropic", [user("hi")]).json()["report"]["shape"] == "anthropic"
    )
    assert_problem(api.post(f"{PATH}?shape=word", [user("hi")]), 422, "validation", "?shape")
    refused = api.post(f"{PATH}?shape=gemini", {"messages": [user("hi")]})
    assert_problem(refused, 422, "validation")
    assert_problem(api.post(f"{PATH}?shape=ctxadmin", [user("hi")]), 422, "validation")


def test_a_body_with_several_conversations_is_refused_with_the_other_ways(api: Api) -> None:
    answer = api.post(PATH, [example("anthropic", "request"), [user("hi")]])
    assert_problem(answer, 422, "validation")
    assert "import_conversations" in answer.json()["detail"]
    assert not Conversation.objects.exists()


def test_nothing_of_a_half_valid_conversation_is_stored(api: Api) -> None:
    document = json.loads(json.dumps(example("gemini", "request")))
    del document["contents"][1]["parts"][1]["functionCall"]["name"]
    answer = api.post(f"{PATH}?shape=gemini", document)
    assert_problem(answer, 422, "validation", "/contents/1/parts/1/functionCall/name")
    assert not Conversation.objects.exists()


def test_a_conversation_without_a_title_is_called_as_its_first_user_message(api: Api) -> None:
    said = user("First line\nsecond line")
    assert api.post(PATH, {"messages": [said]}).json()["title"] == "First line"
    assert api.post(PATH, {"title": "Mine", "messages": [said]}).json()["title"] == "Mine"
    turns: JsonValue = [{"from": "human", "value": "First line\nsecond line"}]
    answer = api.post(PATH, {"id": "identity_0", "conversations": turns}).json()
    assert (answer["id"], answer["title"]) == ("identity_0", "First line")


def test_a_chat_of_ours_without_a_title_is_called_by_its_id(api: Api) -> None:
    named = api.post(PATH, {"id": "named", "messages": [user("Hi")]}).json()
    assert (named["id"], named["title"]) == ("named", "Hi")
    silent = {"id": "silent", "messages": [{"role": "assistant", "content": "Hello"}]}
    assert api.post(PATH, silent).json()["title"] == "silent"


@pytest.mark.parametrize("field", ["function_call", "toolInvocations"])
def test_appends_still_refuse_what_only_imports_understand(api: Api, field: str) -> None:
    api.post("/conversations", {"id": "one"})
    message: JsonValue = {"role": "assistant", "content": "x", field: [{"name": "f"}]}
    answer = api.post("/conversations/one/messages", {"messages": [message]})
    assert_problem(answer, 422, "validation", f"/messages/0/{field}")
    block: JsonValue = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    message = {"role": "assistant", "content": [block]}
    answer = api.post("/conversations/one/messages", {"messages": [message]})
    assert_problem(answer, 422, "validation", "/messages/0/content/0/type")
