"""Laws of provider formats, over any log and any view of it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from conversations.domain.formats.anthropic import FIRST
from conversations.domain.formats.formats import FORMATS, ProviderFormat, write
from conversations.domain.formats.formatted_view import FormattedView
from conversations.domain.formats.source import SourceMessage, source_messages
from conversations.domain.imports.append_reader import read_appended
from conversations.domain.memory import MemoryLog
from conversations.domain.message import MessageDraft
from conversations.domain.pairing import validate_for_model
from conversations.domain.view import View
from ctxadmin.lib.errors import ContextError
from tests.examples import examples
from tests.property.conversation_strategies import drafts, views
from tests.unit.conversations.chats import assistant, calls, message, result, user

every_format = pytest.mark.parametrize("name", FORMATS)
PAIRS = {"orphan_result", "unanswered_call"}
# A result behind the next answer: merged into no message of the user does it find its call.
APART = (
    MemoryLog([user("q"), calls("a"), user("r"), assistant("s"), result("a")]),
    View([(0, 5)]),
)


def parts() -> st.SearchStrategy[Any]:
    """A part of a content: a text, or what some provider knows and another does not."""
    picture = "data:image/png;base64,aGk="
    return st.sampled_from(
        [
            {"type": "text", "text": "pear"},
            {"type": "input_text", "text": "apple"},
            {"type": "text", "text": ""},
            {"type": "text", "text": " \n"},
            {"type": "text", "text": "kept", "cache_control": {"type": "ephemeral"}},
            {"type": "image_url", "image_url": {"url": picture}},
            {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}},
            {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}},
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "refusal", "refusal": "no"},
        ]
    )


def rich_drafts() -> st.SearchStrategy[MessageDraft]:
    """Messages with parts, odd arguments and fields of their own, beside the plain ones."""
    content = st.one_of(st.sampled_from(["", " ", "pear"]), st.lists(parts(), max_size=3))
    arguments = st.sampled_from(['{"a":1}', "", "{", "[1]", '{"n":99999999999999999999}'])
    call = st.builds(
        lambda name, given: {"id": name, "function": {"name": "look", "arguments": given}},
        st.sampled_from(["a", "a b", "c"]),
        arguments,
    )
    return st.one_of(
        drafts(),
        st.builds(message, st.sampled_from(["assistant"]), content=content),
        st.builds(
            message, st.just("tool"), content=content, tool_call_id=st.sampled_from(["a", "a b"])
        ),
        st.builds(
            message,
            st.just("assistant"),
            content=content,
            tool_calls=st.lists(call, min_size=1, max_size=2, unique_by=lambda each: each["id"]),
        ),
        st.builds(message, st.just("user"), content=content, name=st.just("ada"), mood=st.just(1)),
    )


@st.composite
def seen(draw: st.DrawFn) -> tuple[MemoryLog, View]:
    """A log and a view of it."""
    log = MemoryLog(draw(st.lists(rich_drafts(), max_size=14)))
    return log, draw(views(log))


def sources(log: MemoryLog, view: View) -> list[SourceMessage]:
    return source_messages([(index, log.entry(index).draft.body) for index in view])


def codes(written: FormattedView) -> set[str]:
    return {warning.code for warning in written.warnings}


@every_format
@settings(max_examples=examples())
@given(found=seen())
def test_a_longer_view_continues_where_a_shorter_one_ended(
    name: ProviderFormat, found: tuple[MemoryLog, View]
) -> None:
    log, view = found
    whole = write(sources(log, view), name)
    for length in range(len(view)):
        part = write(sources(log, view.slice(0, length)), name)
        done = max(len(part.messages) - 1, 0) if name == "anthropic" else len(part.messages)
        assert part.messages[:done] == whole.messages[:done]
        system = len(part.system or ())
        assert (part.system or [])[:system] == (whole.system or [])[:system]


@every_format
@settings(max_examples=examples())
@given(found=seen())
@example(found=APART)
def test_a_view_that_is_valid_has_every_result_where_the_provider_looks_for_it(
    name: ProviderFormat, found: tuple[MemoryLog, View]
) -> None:
    log, view = found
    written = write(sources(log, view), name)
    told = {
        code: [index for each in written.warnings if each.code == code for index in each.indices]
        for code in PAIRS
    }
    if not validate_for_model(view, log):
        assert told == {code: [] for code in PAIRS}
    open_calls, results = misplaced(name, written.messages)
    assert len(results) == len(told["orphan_result"])
    assert bool(open_calls) == bool(told["unanswered_call"])


def misplaced(name: ProviderFormat, messages: Sequence[Any]) -> tuple[list[str], list[str]]:
    """The calls without a result where the provider looks for it, and the results elsewhere."""
    waiting: list[str] = []
    unanswered: list[str] = []
    orphans: list[str] = []
    for each in messages:
        for call_id in results_in(name, each):
            (waiting.remove if call_id in waiting else orphans.append)(call_id)
        if name != "responses" and each["role"] != "tool":
            unanswered += waiting
            waiting = []
        waiting += calls_in(name, each)
    return unanswered + waiting, orphans


def results_in(name: ProviderFormat, each: Any) -> list[str]:
    if name == "openai":
        return [each["tool_call_id"]] if each["role"] == "tool" else []
    if name == "responses":
        return [each["call_id"]] if each["type"].endswith("_output") else []
    keys = {"anthropic": "tool_use_id", "vercel": "toolCallId"}
    kinds = ("tool_result", "tool-result")
    content = each["content"] if isinstance(each["content"], list) else []
    return [part[keys[name]] for part in content if part["type"] in kinds]


def calls_in(name: ProviderFormat, each: Any) -> list[str]:
    if name == "openai":
        return [call["id"] for call in each.get("tool_calls", ())]
    if name == "responses":
        return [each["call_id"]] if each["type"].endswith("_call") else []
    keys = {"anthropic": "id", "vercel": "toolCallId"}
    content = each["content"] if isinstance(each["content"], list) else []
    return [part[keys[name]] for part in content if part["type"] in ("tool_use", "tool-call")]


@settings(max_examples=examples())
@given(found=seen())
def test_in_anthropics_format_user_and_assistant_take_turns(found: tuple[MemoryLog, View]) -> None:
    log, view = found
    written = write(sources(log, view), "anthropic")
    roles = [each["role"] for each in written.messages]
    assert roles == [("user", "assistant")[place % 2] for place in range(len(roles))]
    asked: list[str] = []
    for each in written.messages:
        content: Any = each["content"]
        assert content
        kinds = [block["type"] for block in content]
        results = kinds.count("tool_result")
        assert kinds[:results] == ["tool_result"] * results
        asked += calls_in("anthropic", each)
        assert all(block["text"].strip() for block in content if block["type"] == "text")
    assert len(set(asked)) == len(asked)
    assert all(isinstance(block["text"], str) for block in written.system or ())


@every_format
@settings(max_examples=examples())
@given(found=seen())
def test_no_text_is_lost(name: ProviderFormat, found: tuple[MemoryLog, View]) -> None:
    log, view = found
    written = write(sources(log, view), name)
    spoken = "".join(log.entry(index).draft.text for index in view)
    texts = "".join(texts_of([*(written.system or ()), *written.messages]))
    if "first_message_added" in codes(written):
        texts = texts.replace(FIRST, "", 1)
    if "empty_text" in codes(written):
        spoken, texts = "".join(spoken.split()), "".join(texts.split())
    assert Counter(texts) == Counter(spoken)


def texts_of(value: Any) -> Iterator[str]:
    """The texts of contents and results; those of arguments, refusals and thoughts are others."""
    if isinstance(value, list):
        for each in value:
            yield from texts_of(each)
    elif isinstance(value, dict):
        if value.get("type") in ("reasoning", "thinking", "function_call", "tool-call", "tool_use"):
            return
        for key in ("content", "output", "text", "value"):
            if key == "text" and value.get("text") == "no":
                continue  # a refusal, written as text
            if isinstance(value.get(key), str):
                yield value[key]
            else:
                yield from texts_of(value.get(key))


@every_format
@settings(max_examples=examples())
@given(found=seen())
def test_the_same_messages_are_written_the_same_and_warnings_name_messages_of_the_view(
    name: ProviderFormat, found: tuple[MemoryLog, View]
) -> None:
    log, view = found
    written = write(sources(log, view), name)
    assert written == write(sources(log, view), name)
    for warning in written.warnings:
        assert warning.indices
        assert set(warning.indices) <= set(view)
        assert list(warning.indices) == sorted(set(warning.indices))


def plain(value: Any) -> Any:
    """The same as it is stored: one text part is a text, and calls are behind other parts.

    An empty item of the assistant before calls of Responses is one message with them.
    """
    if isinstance(value, list):
        return [found for each in value if (found := plain(each)) != EMPTY_ITEM]
    if not isinstance(value, dict):
        return value
    found = {name: plain(each) for name, each in value.items()}
    for name in ("content", "output"):
        parts = found.get(name)
        if isinstance(parts, list):
            parts.sort(key=lambda part: isinstance(part, dict) and part.get("type") == "tool_use")
            found[name] = parts or ""
        if isinstance(parts, list) and len(parts) == 1 and isinstance(parts[0], dict):
            part = parts[0]
            if part.get("type") in TEXTS and set(part) == {"type", "text"}:
                found[name] = part["text"]
    if found.get("type") == "content" and isinstance(found.get("value"), list):
        texts = [part.get("text") for part in found["value"]]  # a result of Vercel's
        if not texts:
            return {"type": "text", "value": ""}
        if len(texts) == 1 and found["value"][0].get("type") == "text":
            return {"type": "text", "value": texts[0]}
    return found


EMPTY_ITEM = {"type": "message", "role": "assistant", "content": ""}
TEXTS = ("text", "input_text", "output_text")


@every_format
@settings(max_examples=examples())
@given(found=seen())
def test_what_is_appended_in_a_format_is_read_in_it_as_it_was(
    name: ProviderFormat, found: tuple[MemoryLog, View]
) -> None:
    log, view = found
    written = write(sources(log, view), name)
    system: Any = list(written.system) if written.system else None
    try:
        appended = read_appended(list(written.messages), name, system)
    except ContextError:
        assert empty_system(name, written.messages)
        return
    again_log = MemoryLog([*appended.drafts])
    again = write(sources(again_log, View([(0, len(appended.drafts))])), name)
    assert plain(again.messages) == plain(written.messages)
    assert plain(list(again.system or ())) == plain(list(written.system or ()))


def empty_system(name: ProviderFormat, messages: Sequence[Any]) -> bool:
    """A system message whose text is empty, which the contract refuses (rule 1.1)."""
    return any(
        each.get("role") in ("system", "developer") and not "".join(texts_of(each)).strip()
        for each in messages
    )
