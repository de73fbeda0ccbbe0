"""What the form of a replacement keeps of the message, and what it says of a wrong one."""

from typing import Any

import orjson
import pytest
from django.test import Client
from pydantic import JsonValue

from conversations.domain.pairing import validate_for_model
from conversations.models import Conversation, Message
from conversations.store.conversation import find_revision, view_of
from conversations.store.sql_log import SqlLog
from ctxadmin.identity.roles import Role
from tests.factories import conversation, result, signed_in, user

pytestmark = pytest.mark.django_db

OPERATE = "/conversations/chat/operate/"
ARGUMENTS = '{"city":"Bern","days":[1,2]}'


def call(arguments: JsonValue = ARGUMENTS, call_id: str = "a") -> dict[str, JsonValue]:
    function: JsonValue = {"name": "weather", "arguments": arguments, "strict": True}
    return {"id": call_id, "type": "function", "function": function}


def asking(*tool_calls: JsonValue, **further: JsonValue) -> dict[str, JsonValue]:
    return {"role": "assistant", "content": None, "tool_calls": list(tool_calls), **further}


@pytest.fixture
def reviewer() -> Client:
    return signed_in(Role.REVIEWER)


def form_of(answer: Any) -> dict[str, Any]:
    """What a browser would send of the form that an answer shows."""
    page = answer.context["page"]
    head = page.head
    seen = {
        "expected_revision": str(head.current_revision),
        "expected_count": str(head.visible_count),
        "previewed": page.previewed,
    }
    typed = {name: page.form.data.getlist(name) for name in page.form.data}
    return {name: values[-1] for name, values in typed.items() if values} | seen


def replacing(client: Client, position: int = 1) -> dict[str, Any]:
    count = Conversation.objects.get().visible_count
    query = f"do=replace&positions={position}&revision=0&count={count}"
    answer = client.get(f"{OPERATE}?{query}")
    assert answer.status_code == 200
    return form_of(answer)


def applied(client: Client, form: dict[str, Any]) -> dict[str, Any]:
    """The message that was logged by previewing and applying a form."""
    preview = client.post(OPERATE, form | {"preview": "1"})
    assert preview.status_code == 200, preview.content.decode()
    assert client.post(OPERATE, form_of(preview) | {"apply": "1"}).status_code == 302
    body: dict[str, Any] = orjson.loads(bytes(Message.objects.order_by("-index")[0].body))
    return body


def errors_of(answer: Any) -> dict[str, list[str]]:
    assert answer.status_code == 422
    form = answer.context["page"].form
    return {name: [str(each) for each in said] for name, said in form.errors.items()}


def test_name_metadata_parts_and_further_fields_are_kept(reviewer: Client) -> None:
    look: dict[str, JsonValue] = {
        "role": "user",
        "content": [
            {"type": "text", "text": "look"},
            {"type": "image_url", "image_url": {"url": "https://example.org/i.png"}},
        ],
        "name": "ada",
        "metadata": {"from": {"app": "phone"}},
        "cache_control": {"type": "ephemeral"},
    }
    conversation(user("zero"), look, public_id="chat")
    assert applied(reviewer, replacing(reviewer)) == look


def test_one_part_of_plain_text_is_edited_as_text(reviewer: Client) -> None:
    plain: JsonValue = [{"type": "text", "text": "said"}]
    conversation(user("zero"), {"role": "user", "content": plain}, public_id="chat")
    assert replacing(reviewer)["replace-message-content"] == "said"


def test_tool_calls_are_left_out_unless_they_are_chosen(reviewer: Client) -> None:
    conversation(user("zero"), asking(call()), public_id="chat")
    form = replacing(reviewer) | {"replace-message-content": "I shall not ask."}
    assert applied(reviewer, form) == {"role": "assistant", "content": "I shall not ask."}


@pytest.mark.parametrize("second", ['["Ulm"]', {"city": "Ulm"}])
def test_chosen_calls_are_kept_with_their_arguments_as_they_were_written(
    reviewer: Client, second: JsonValue
) -> None:
    asked = asking(call(), call(second, "b"), call("{broken", "c"))
    conversation(user("zero"), asked, public_id="chat")
    form = replacing(reviewer) | {"replace-message-calls-choice": "keep"}
    said = applied(reviewer, form)
    assert said["tool_calls"] == asked["tool_calls"]
    assert "content" not in said


def test_edited_arguments_are_sent_as_the_text_that_providers_want(reviewer: Client) -> None:
    conversation(user("zero"), asking(call()), public_id="chat")
    form = replacing(reviewer)
    assert form["replace-message-calls-as_text"] == "on"
    assert '"days": [' in form["replace-message-calls-tool_calls"]
    form["replace-message-calls-choice"] = "keep"
    text = form["replace-message-calls-tool_calls"]
    form["replace-message-calls-tool_calls"] = text.replace("Bern", "Basel")
    function = applied(reviewer, form)["tool_calls"][0]["function"]
    assert orjson.loads(function["arguments"]) == {"city": "Basel", "days": [1, 2]}


def test_a_mistake_in_the_arguments_is_reported_with_line_and_column(reviewer: Client) -> None:
    conversation(user("zero"), asking(call()), public_id="chat")
    form = replacing(reviewer) | {
        "replace-message-calls-choice": "keep",
        "replace-message-calls-tool_calls": '[\n  {"id": }\n]',
    }
    said = errors_of(reviewer.post(OPERATE, form | {"preview": "1"}))
    assert "line 2 column 10" in said["replace-message-calls-tool_calls"][0]


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        ([{"type": "function"}], "this field is required"),
        ([call(), call()], "two tool calls of one message have the same id"),
    ],
)
def test_what_the_rules_refuse_in_calls_is_reported_at_their_field(
    reviewer: Client, calls: JsonValue, told: str
) -> None:
    conversation(user("zero"), asking(call()), public_id="chat")
    form = replacing(reviewer) | {
        "replace-message-calls-choice": "keep",
        "replace-message-calls-tool_calls": orjson.dumps(calls).decode(),
    }
    said = errors_of(reviewer.post(OPERATE, form | {"preview": "1"}))
    assert told in said["replace-message-calls-tool_calls"][0].lower()


def test_a_further_field_does_not_overrule_one_of_the_form(reviewer: Client) -> None:
    conversation(user("zero"), user("one"), public_id="chat")
    form = replacing(reviewer) | {"replace-message-further": '{"tool_calls": [], "role": "x"}'}
    said = errors_of(reviewer.post(OPERATE, form | {"preview": "1"}))
    assert said["replace-message-further"] == [
        "Enter these in their own fields: “Role”, “Calls with their arguments”."
    ]


def test_a_kept_call_gets_its_result_behind_it_or_goes_with_it(reviewer: Client) -> None:
    conversation(user("zero"), asking(call()), result("a"), public_id="chat")
    form = replacing(reviewer) | {"replace-message-calls-choice": "keep"}
    preview = reviewer.post(OPERATE, form | {"preview": "1"})
    assert preview.context["page"].effect.splits
    assert preview.context["page"].offers == ["keep", "drop"]
    dropped = reviewer.post(OPERATE, form_of(preview) | {"offer": "drop"})
    assert not dropped.context["page"].effect.warnings
    kept = reviewer.post(OPERATE, form_of(dropped) | {"offer": "keep"})
    assert not kept.context["page"].effect.warnings
    assert kept.context["page"].effect.visible_count == 3


def test_who_replaces_a_call_and_then_its_result_has_a_pair_that_a_model_takes(
    reviewer: Client,
) -> None:
    conversation(user("zero"), asking(call()), result("a"), public_id="chat")
    applied(reviewer, replacing(reviewer) | {"replace-message-calls-choice": "keep"})
    head = Conversation.objects.get()
    query = f"do=replace&positions=2&revision={head.current_revision}&count={head.visible_count}"
    form = form_of(reviewer.get(f"{OPERATE}?{query}"))
    preview = reviewer.post(OPERATE, form | {"preview": "1"})
    assert not preview.context["page"].effect.splits
    assert reviewer.post(OPERATE, form_of(preview) | {"apply": "1"}).status_code == 302
    head.refresh_from_db()
    log = SqlLog(head, head.log_count, head.current_revision, newest=True)
    view = view_of(find_revision(head.key, head.current_revision))
    assert list(view) == [0, 3, 4]
    assert validate_for_model(view, log) == ()


def test_the_preview_shows_the_new_message_with_its_calls(reviewer: Client) -> None:
    conversation(user("zero"), asking(call()), public_id="chat")
    form = replacing(reviewer) | {"replace-message-calls-choice": "keep"}
    preview = reviewer.post(OPERATE, form | {"preview": "1"})
    places = preview.context["page"].effect.changes.places
    edited = [each for each in places if each.kind == "edited"]
    assert [
        (each.number, each.role, "".join(piece.text for piece in each.sides)) for each in edited
    ] == [(2, "assistant", f"weather({ARGUMENTS})")]


def test_an_inserted_message_has_the_same_fields(reviewer: Client) -> None:
    conversation(user("zero"), user("one"), public_id="chat")
    answer = reviewer.get(f"{OPERATE}?do=insert&positions=1&revision=0&count=2")
    form = form_of(answer) | {
        "insert-messages-0-role": "assistant",
        "insert-messages-0-name": "helper",
        "insert-messages-0-calls-choice": "keep",
        "insert-messages-0-calls-tool_calls": orjson.dumps([call({"city": "Bern"})]).decode(),
        "insert-messages-0-calls-as_text": "on",
        "insert-messages-0-metadata": '{"by": "hand"}',
    }
    said = applied(reviewer, form)
    assert said == {
        "role": "assistant",
        "name": "helper",
        "metadata": {"by": "hand"},
        "tool_calls": [call('{"city":"Bern"}')],
    }


def test_what_was_typed_of_calls_survives_a_change_of_the_view(reviewer: Client) -> None:
    conversation(user("zero"), asking(call()), user("two"), public_id="chat")
    form = replacing(reviewer) | {"replace-message-calls-choice": "keep"}
    hide = {"operation": "truncate", "truncate-remove_first": "1", "pairing": "warn"}
    other = signed_in(Role.DESIGNER)
    applied(other, form_of(other.get(OPERATE)) | hide)
    answer = reviewer.post(OPERATE, form | {"apply": "1"})
    assert answer.status_code == 409
    again = form_of(answer)
    assert again["replace-index"] == "0"
    assert again["replace-message-calls-choice"] == "keep"
    assert "Bern" in again["replace-message-calls-tool_calls"]
