"""Random messages, logs, views and operations of conversations."""

from typing import Any

from hypothesis import strategies as st
from pydantic import JsonValue

from conversations.domain.memory import MemoryLog
from conversations.domain.message import MessageDraft
from conversations.domain.view import View
from tests.unit.conversations.chats import calls, message, result, tools

CALL_IDS = ["a", "b", "c"]
WORDS = ["pear", "apple", "Pear"]


def drafts() -> st.SearchStrategy[MessageDraft]:
    """A message; ids of calls repeat, so that pairs, orphans and reused ids all come up."""
    text = st.sampled_from([*WORDS, "pear and apple"])
    talk = st.builds(
        message, st.sampled_from(["system", "developer", "user", "assistant"]), content=text
    )
    asked = st.lists(st.sampled_from(CALL_IDS), min_size=1, max_size=3, unique=True)
    return st.one_of(
        talk,
        asked.map(lambda call_ids: calls(*call_ids)),
        st.builds(result, st.sampled_from(CALL_IDS), text),
        st.builds(result, st.sampled_from(CALL_IDS), text),
        text.map(tools),
    )


@st.composite
def logs(draw: st.DrawFn) -> MemoryLog:
    """A log of up to 14 messages."""
    text = draw(st.sampled_from([None, "pear"]))
    return MemoryLog(draw(st.lists(drafts(), max_size=14)), tools=text)


def views(log: MemoryLog) -> st.SearchStrategy[View]:
    """A view of a log: some of its messages, mostly in log order."""
    some = st.lists(st.integers(0, max(len(log) - 1, 0)), unique=True, max_size=len(log))
    return st.one_of(
        st.just(View(((0, len(log)),))),
        some.map(lambda indices: View.of_indices(sorted(indices))),
        some.map(View.of_indices),
    )


def truncations() -> st.SearchStrategy[dict[str, JsonValue]]:
    """A block of truncate with at least one option."""
    number = st.integers(0, 8)
    spans = st.tuples(number, st.integers(1, 5)).map(
        lambda pair: {"start": pair[0], "end": pair[0] + pair[1]}
    )
    options: dict[str, st.SearchStrategy[Any]] = {
        "keep_first": number,
        "keep_last": number,
        "remove_first": number,
        "remove_last": number,
        "range": spans,
    }
    return _some_of(options)


def keyword_filters() -> st.SearchStrategy[dict[str, JsonValue]]:
    """A block of filter with at least one list of roles or keywords."""
    return _some_of(_roles_and_keywords())


def filters() -> st.SearchStrategy[dict[str, JsonValue]]:
    """A block of filter with at least one field, also of those on the origin of messages."""
    ages = st.builds(
        lambda measure, count: {measure: count},
        st.sampled_from(["turns", "messages"]),
        st.integers(0, 5),
    )
    traits = st.sampled_from(["tool_call", "image", "pinned"])
    options: dict[str, st.SearchStrategy[Any]] = {
        **_roles_and_keywords(),
        "tools": st.just(["look"]),
        "has": st.lists(traits, min_size=1),
        "larger_than": st.integers(0, 12),
        "older_than": ages,
        "newer_than": ages,
    }
    return _some_of(options)


def _roles_and_keywords() -> dict[str, st.SearchStrategy[Any]]:
    roles = st.lists(st.sampled_from(["system", "user", "assistant", "tool"]), min_size=1)
    words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=2)
    return {"roles": roles, "content_contains": words, "content_excludes": words}


def budgets() -> st.SearchStrategy[dict[str, JsonValue]]:
    """A block of budget, of so few tokens that most of them cut."""

    def block(fields: dict[str, Any]) -> dict[str, JsonValue]:
        fields["target_tokens"] = max(1, fields["max_tokens"] * fields.pop("share") // 100)
        if fields["drop"] != "tool_results":
            del fields["keep_last_results"]
        if fields["drop"] != "oldest":
            del fields["keep_turn_start"]
        return fields

    options: dict[str, st.SearchStrategy[Any]] = {
        "max_tokens": st.integers(2, 160),
        "share": st.integers(1, 99),
        "keep_first": st.integers(0, 3),
        "keep_system": st.booleans(),
        "drop": st.sampled_from(["oldest", "oldest_turns", "tool_results"]),
        "keep_last_results": st.integers(0, 3),
        "keep_turn_start": st.booleans(),
        "at_least": st.none() | st.integers(1, 60),
    }
    return st.fixed_dictionaries(options).map(block)


def _some_of(
    options: dict[str, st.SearchStrategy[Any]],
) -> st.SearchStrategy[dict[str, JsonValue]]:
    return st.fixed_dictionaries({}, optional=options).filter(bool).map(dict)
