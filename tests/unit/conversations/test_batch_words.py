"""What opened a batch, in one sentence with the numbers of messages."""

from typing import Any

import orjson
import pytest

from conversations.domain.runs import Runs
from conversations.domain.view import View
from conversations.models import Revision
from conversations.pages.batch_words import batch_options, batch_words
from conversations.reading.batch_changes import BatchChange

BEFORE = View(((0, 3), (10, 20)))  # position 3 is #10


def opened(operation: str, block: dict[str, Any] | None = None, **fields: Any) -> Revision:
    config = {"operation": operation, operation: block, **fields}
    return Revision(conversation=1, number=2, operation=operation, config=orjson.dumps(config))


def words_with(row: Revision, found: BatchChange | None) -> str:
    return str(batch_words(row, {} if found is None else {(row.conversation, row.number): found}))


def change(hidden: Runs = (), came: Runs = ()) -> BatchChange:
    return BatchChange(BEFORE, hidden, came)


@pytest.mark.parametrize(
    ("row", "found", "words"),
    [
        (
            opened("truncate", {"remove_ranges": [{"start": 2, "end": 4}], "keep_system": True}),
            change(((2, 3), (10, 12))),
            "Hid #2, #10–#11",
        ),
        (
            opened("truncate", {"remove_ranges": [{"start": 9, "end": 10}]}),
            change(),
            "Hid no messages",
        ),
        (
            opened("truncate", {"remove_first": 3, "keep_system": True}),
            change(),
            "Kept from #10 on",
        ),
        (
            opened("truncate", {"remove_first": 13}),
            change(((0, 3), (10, 20))),
            "Hid the first 13 messages",
        ),
        (opened("truncate", {"keep_last": 6}), change(), "Kept the last 6 messages"),
        (
            opened("truncate", {"keep_first": 2, "keep_last": 6}),
            None,
            "Kept the first 2 and the last 6 messages",
        ),
        (
            opened("replace", {"index": 3, "message": {"index": 20}}),
            change(((10, 11),), ((20, 21),)),
            "Replaced #10",
        ),
        (
            opened("replace", {"index": 3, "message": {"index": 20}}),
            change(((10, 12),), ((20, 21),)),
            "Replaced #10 and hid #11",
        ),
        (
            opened("replace", {"index": 3, "message": {"index": 20}}),
            change(((10, 12),), ((20, 22),)),
            "Replaced #10",
        ),
        (
            opened("summarize", {"range": {"start": 1, "end": 4}, "sources": [[1, 4]]}),
            None,
            "Summarized #1–#3",
        ),
        (
            opened("insert", {"position": 3, "messages": [{"index": 20}, {"index": 21}]}),
            change(),
            "Inserted #20–#21 before #10",
        ),
        (
            opened("insert", {"position": -1, "messages": [{"index": 20}]}),
            None,
            "Inserted #20 at the end",
        ),
        (
            opened("filter", {"content_excludes": ["over night"]}),
            None,
            "Hid messages that contain “over night”",
        ),
        (
            opened("filter", {"roles": ["user", "tool"], "older_than": {"turns": 3}}),
            None,
            "Kept only messages by user, tool, older than 3 turns",
        ),
        (opened("clear"), None, "Hid all but the system messages"),
        (opened("clear", {"keep_system_message": False}), None, "Hid all messages"),
        (
            opened("budget", {"max_tokens": 2500, "target_tokens": 1900}),
            None,
            "Cut to 1,900 tokens where there were over 2,500",
        ),
        (
            opened("budget", {"max_tokens": 2500, "target_tokens": 1900}),
            change(came=((20, 21),)),  # written after it
            "Budget of 2,500 tokens: nothing to cut",
        ),
        (
            Revision(conversation=1, number=2, operation="batch", boundary=5),
            None,
            "Kept from #5 on",
        ),
        (opened("append", pin={"index": 4, "pinned": True}), None, "Pinned #4"),
    ],
)
def test_a_batch_is_one_sentence(row: Revision, found: BatchChange | None, words: str) -> None:
    assert words_with(row, found) == words


def test_many_hidden_messages_are_counted() -> None:
    row = opened("truncate", {"remove_ranges": [{"start": 0, "end": 9}]})
    scattered = tuple((place, place + 1) for place in range(0, 10, 2))
    assert words_with(row, change(scattered)) == "Hid 5 messages"


@pytest.mark.parametrize("pairing", ["warn", "keep", "drop"])
def test_pairs_are_in_no_words_and_other_options_only_if_they_were_chosen(pairing: str) -> None:
    assert batch_options(opened("truncate", {"keep_last": 6}, pairing=pairing)) == ""
    row = opened("truncate", {"keep_last": 6}, include_pinned=True)
    assert batch_options(row) == "pinned messages, too"


@pytest.mark.parametrize(
    "config", [b"{}", b"[1]", b'{"truncate": 3}', b'{"truncate": {"keep_last": "x"}}']
)
def test_a_damaged_config_still_has_words(config: bytes) -> None:
    assert words_with(Revision(operation="truncate", config=config), change())
