"""Messages as providers take them: each in the shape that the provider documents."""

from typing import Any

import pytest
from pydantic import JsonValue

from conversations.domain.formats.anthropic import FIRST
from conversations.domain.formats.formats import FORMATS, ProviderFormat, provider_format, write
from conversations.domain.formats.formatted_view import FormattedView
from conversations.domain.formats.source import source_messages
from conversations.domain.message import MessageDraft
from tests.unit.conversations.chats import (
    assistant,
    calls,
    message,
    result,
    system,
    tools,
    user,
)

PNG = "data:image/png;base64,aGk="
IMAGES: list[JsonValue] = [
    {"type": "text", "text": "Look"},
    {"type": "image_url", "image_url": {"url": PNG, "detail": "low"}},
    {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}},
]


def written(name: ProviderFormat, *drafts: MessageDraft) -> FormattedView:
    return write(source_messages([(i, draft.body) for i, draft in enumerate(drafts)]), name)


def messages(name: ProviderFormat, *drafts: MessageDraft) -> Any:
    return list(written(name, *drafts).messages)


def warned(found: FormattedView) -> list[tuple[str, tuple[int, ...]]]:
    return [(warning.code, warning.indices) for warning in found.warnings]


def chat() -> list[MessageDraft]:
    return [
        system("Be kind."),
        user("Weather in two towns?"),
        calls("a", "b"),
        result("b", "rain"),
        result("a", "sun"),
        assistant("Sun and rain."),
    ]


def test_openai_has_the_messages_without_our_own_fields() -> None:
    found = messages(
        "openai",
        message("developer", "Be kind.", metadata={"k": 1}),
        tools("Tools: look"),
        user("q", name="ada"),
        calls("a"),
        result("a", "sun"),
        message("assistant", "so", refusal="no"),
    )
    call = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    assert found == [
        {"role": "developer", "content": "Be kind."},
        {"role": "system", "content": "Tools: look"},
        {"role": "user", "content": "q", "name": "ada"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "sun", "tool_call_id": "a"},
        {"role": "assistant", "content": "so", "refusal": "no"},
    ]


def test_anthropic_has_system_beside_and_all_results_first_in_the_next_user_message() -> None:
    found = written("anthropic", *chat()[:5], user("And?"), *chat()[5:])
    assert found.system == [{"type": "text", "text": "Be kind."}]
    assert list(found.messages) == [
        {"role": "user", "content": [{"type": "text", "text": "Weather in two towns?"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "a", "name": "look", "input": {}},
                {"type": "tool_use", "id": "b", "name": "look", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                tool_result("b", "rain"),
                tool_result("a", "sun"),
                {"type": "text", "text": "And?"},
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "Sun and rain."}]},
    ]
    assert warned(found) == []


def tool_result(call_id: str, text: str) -> dict[str, JsonValue]:
    content: JsonValue = [{"type": "text", "text": text}]
    return {"type": "tool_result", "tool_use_id": call_id, "content": content}


def test_anthropic_joins_messages_of_one_role_and_results_that_come_after_a_text() -> None:
    found = written("anthropic", user("q"), calls("a"), user("still there?"), result("a", "sun"))
    assert [each["role"] for each in found.messages] == ["user", "assistant", "user"]
    last: Any = found.messages[-1]["content"]
    assert [block["type"] for block in last] == ["tool_result", "text"]
    assert warned(found) == []


def test_anthropic_begins_with_a_user_and_tells_that_it_was_put_in_front() -> None:
    found = written("anthropic", system(), assistant("Hello."))
    assert found.messages[0] == {"role": "user", "content": [{"type": "text", "text": FIRST}]}
    assert warned(found) == [("first_message_added", (1,))]


def test_anthropic_tells_of_system_texts_that_stood_between_messages() -> None:
    found = written("anthropic", system("one"), user("q"), tools("two"))
    assert [block["text"] for block in found.system or ()] == ["one", "two"]
    assert warned(found) == [("system_moved", (2,))]


def test_anthropic_leaves_out_what_is_empty_and_tells() -> None:
    found = written("anthropic", user("q"), assistant(""), user(" \n"), user("r"))
    content: Any = found.messages[0]["content"]
    assert [block["text"] for block in content] == ["q", "r"]
    assert warned(found) == [("empty_message", (1, 2)), ("empty_text", (2,))]


def test_anthropic_gets_back_its_own_parts_as_they_are() -> None:
    thought: JsonValue = {"type": "thinking", "thinking": "hm", "signature": "s"}
    text: JsonValue = {"type": "text", "text": "so", "cache_control": {"type": "ephemeral"}}
    found = written("anthropic", user("q"), message("assistant", [thought, text]))
    assert found.messages[1] == {"role": "assistant", "content": [thought, text]}
    assert warned(found) == []


def test_ids_that_are_used_again_get_a_number_where_each_must_have_its_own() -> None:
    drafts = [user("q"), calls("a b"), result("a b", "1"), calls("a b"), result("a b", "2")]
    found = written("anthropic", *drafts)
    ids = [block["id" if "id" in block else "tool_use_id"] for block in pair_blocks(found)]
    assert ids == ["a_b", "a_b", "a_b_2", "a_b_2"]
    assert warned(found) == [("call_id_changed", (1, 3))]
    assert [m.get("tool_call_id") for m in messages("openai", *drafts)][2] == "a b"


def pair_blocks(found: FormattedView) -> list[Any]:
    blocks: list[Any] = [block for each in found.messages for block in each["content"]]  # type: ignore[union-attr]
    return [block for block in blocks if block["type"] in ("tool_use", "tool_result")]


def test_responses_has_items_in_one_list() -> None:
    found = written("responses", message("developer", "Be kind."), *chat()[1:])
    assert found.system is None
    call = {"type": "function_call", "name": "look", "arguments": "{}"}
    assert list(found.messages) == [
        {"type": "message", "role": "developer", "content": "Be kind."},
        {"type": "message", "role": "user", "content": "Weather in two towns?"},
        call | {"call_id": "a"},
        call | {"call_id": "b"},
        {"type": "function_call_output", "call_id": "b", "output": "rain"},
        {"type": "function_call_output", "call_id": "a", "output": "sun"},
        {"type": "message", "role": "assistant", "content": "Sun and rain."},
    ]


def test_custom_calls_are_those_of_the_responses() -> None:
    custom: JsonValue = {"id": "a", "type": "custom", "custom": {"name": "sh", "input": "ls"}}
    drafts = [user("q"), message("assistant", None, tool_calls=[custom]), result("a", "files")]
    assert messages("responses", *drafts)[1:] == [
        {"type": "custom_tool_call", "call_id": "a", "name": "sh", "input": "ls"},
        {"type": "custom_tool_call_output", "call_id": "a", "output": "files"},
    ]
    assert messages("openai", *drafts)[1]["tool_calls"] == [custom]
    assert pair_blocks(written("anthropic", *drafts))[0]["input"] == {"_raw": "ls"}


def test_vercel_has_model_messages_with_calls_and_results_as_parts() -> None:
    found = messages("vercel", message("developer", "Be kind."), *chat()[1:4], chat()[5])
    output = {"type": "text", "value": "rain"}
    assert found == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Weather in two towns?"},
        {
            "role": "assistant",
            "content": [
                {"type": "tool-call", "toolCallId": "a", "toolName": "look", "input": {}},
                {"type": "tool-call", "toolCallId": "b", "toolName": "look", "input": {}},
            ],
        },
        {
            "role": "tool",
            "content": [
                {
                    "type": "tool-result",
                    "toolCallId": "b",
                    "toolName": "look",
                    "output": output,
                }
            ],
        },
        {"role": "assistant", "content": "Sun and rain."},
    ]


def test_vercel_has_reasoning_of_others_as_its_own_text() -> None:
    """The SDK refuses a reasoning part without a text."""
    summary: JsonValue = [{"type": "summary_text", "text": "They ask"}, {"text": "about rain."}]
    parts: list[JsonValue] = [
        {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "x"},
        {"type": "reasoning", "id": "rs_2", "summary": []},
        {"type": "reasoning", "text": "hm", "thoughtSignature": "s", "providerOptions": {"a": {}}},
        {"type": "thinking", "thinking": None},
    ]
    found = written(
        "vercel", user("q"), message("assistant", [*parts, {"type": "text", "text": "r"}])
    )
    assert found.messages[1]["content"] == [
        {"type": "reasoning", "text": "They ask\n\nabout rain."},
        {"type": "reasoning", "text": "hm", "providerOptions": {"a": {}}},
        {"type": "text", "text": "r"},
    ]
    assert [(warning.code, str(warning.message)) for warning in found.warnings] == [
        ("field_left_out", _left_out("the field 'id' of a reasoning part")),
        ("field_left_out", _left_out("the field 'encrypted_content' of a reasoning part")),
        ("part_left_out", _left_out("a part of the type 'reasoning'")),
        ("field_left_out", _left_out("the field 'thoughtSignature' of a reasoning part")),
        ("part_left_out", _left_out("a part of the type 'thinking'")),
    ]


def _left_out(what: str) -> str:
    return f"{what} has no place in this format and is left out"


IMAGES_OF: dict[ProviderFormat, list[Any]] = {
    "openai": [
        {"type": "text", "text": "Look"},
        {"type": "image_url", "image_url": {"url": PNG, "detail": "low"}},
        {"type": "image_url", "image_url": {"url": "https://x/y.png"}},
    ],
    "anthropic": [
        {"type": "text", "text": "Look"},
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": "aGk="},
        },
        {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}},
    ],
    "responses": [
        {"type": "input_text", "text": "Look"},
        {"type": "input_image", "image_url": PNG, "detail": "low"},
        {"type": "input_image", "image_url": "https://x/y.png", "detail": "auto"},
    ],
    "vercel": [
        {"type": "text", "text": "Look"},
        {"type": "image", "image": PNG, "mediaType": "image/png"},
        {"type": "image", "image": "https://x/y.png"},
    ],
}


@pytest.mark.parametrize("name", FORMATS)
def test_images_are_written_as_each_provider_takes_them(name: ProviderFormat) -> None:
    assert messages(name, message("user", IMAGES))[0]["content"] == IMAGES_OF[name]


@pytest.mark.parametrize("name", FORMATS)
def test_images_of_every_provider_are_read(name: ProviderFormat) -> None:
    (again,) = messages(
        name, message("user", messages(name, message("user", IMAGES))[0]["content"])
    )
    assert again["content"] == IMAGES_OF[name]


@pytest.mark.parametrize("name", FORMATS)
def test_what_a_provider_does_not_know_is_reported(name: ProviderFormat) -> None:
    part: JsonValue = {"type": "hologram", "hologram": 1}
    text: JsonValue = {"type": "text", "text": "x"}
    found = written(name, message("user", [text, part], mood="fine"))
    assert set(warned(found)) == {("part_left_out", (0,)), ("field_left_out", (0,))}


@pytest.mark.parametrize("name", ["anthropic", "vercel"])
@pytest.mark.parametrize(
    ("arguments", "expected", "is_told"),
    [
        ('{"a": [1, null]}', {"a": [1, None]}, False),
        ("", {}, False),
        ("{", {"_raw": "{"}, True),
        ("[1]", {"_raw": "[1]"}, True),
        ('{"n":99999999999999999999}', {"_raw": '{"n":99999999999999999999}'}, True),
        ({"given": True}, {"given": True}, False),
    ],
)
def test_arguments_become_objects_or_stay_as_they_are(
    name: ProviderFormat, arguments: JsonValue, expected: JsonValue, is_told: bool
) -> None:
    call: JsonValue = {"id": "a", "function": {"name": "look", "arguments": arguments}}
    found = written(name, user("q"), message("assistant", "", tool_calls=[call]), result("a"))
    content: Any = found.messages[1]["content"]
    assert content[-1]["input"] == expected
    assert ("arguments_not_object", (1,)) in warned(found) or not is_told
    assert is_told or not warned(found)


@pytest.mark.parametrize("name", FORMATS)
def test_calls_and_results_without_a_partner_are_reported(name: ProviderFormat) -> None:
    found = written(name, user("q"), result("z"), calls("a"), user("r"))
    assert [
        (code, at) for code, at in warned(found) if code in ("orphan_result", "unanswered_call")
    ] == [
        ("orphan_result", (1,)),
        ("unanswered_call", (2,)),
    ]


def test_a_failed_result_stays_one_where_the_provider_knows_that() -> None:
    failed = message("tool", "broken", tool_call_id="a", is_error=True)
    drafts = [user("q"), calls("a"), failed]
    assert pair_blocks(written("anthropic", *drafts))[1]["is_error"] is True
    output = messages("vercel", *drafts)[2]["content"][0]["output"]
    assert output == {"type": "error-text", "value": "broken"}
    assert warned(written("openai", *drafts)) == [("field_left_out", (2,))]


def test_a_format_is_known_by_its_name() -> None:
    assert provider_format("ctxadmin") is None
    assert provider_format("vercel") == "vercel"
    with pytest.raises(KeyError):
        provider_format("gemini")
