"""``manage.py backtest`` as someone runs it who compares policies."""

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from conversations.workspace.matching import ConversationFilter
from ctxadmin.accounts.services import default_workspace, system_actor
from tests.factories import Api, assistant, calls, conversation, result, user
from workflows.backtests.recordings import recorded_conversations
from workflows.domain.backtests.policies import policies_of
from workflows.domain.backtests.replay import replay
from workflows.domain.backtests.table import shown_percent
from workflows.management.commands import backtest
from workflows.pages.drawing.cost_words import change_words

pytestmark = pytest.mark.django_db

TALK = [user("hi"), calls("c1"), result("c1"), assistant("done"), user("more"), assistant("ok")]


def run(*arguments: Any) -> str:
    out = StringIO()
    call_command("backtest", *map(str, arguments), stdout=out, stderr=StringIO())
    return out.getvalue()


def test_stored_conversations_are_compared_and_written_as_csv(tmp_path: Path) -> None:
    conversation(*TALK, public_id="one")
    conversation(*TALK, public_id="two")
    table, every = tmp_path / "table.csv", tmp_path / "calls.csv"
    told = run("--presets", "last_6", "--csv", table, "--calls-csv", every)
    assert "2 conversations, 6 calls, prices in proportion" in told
    rows = list(csv.DictReader(StringIO(table.read_text())))
    assert [row["policy"] for row in rows] == ["Full history", "As recorded", "Last 6, keep system"]
    assert {row["cost_change"] for row in rows} == {"0.0"}
    assert len(every.read_text().splitlines()) == 1 + 2 * 3 * 3


def test_files_and_policies_of_ones_own_are_compared(tmp_path: Path) -> None:
    chats, own = tmp_path / "chats.jsonl", tmp_path / "own.json"
    chats.write_text(json.dumps({"messages": TALK}) + "\n" + json.dumps({"messages": TALK}))
    naive = {"operation": "truncate", "truncate": {"keep_last": 1}}
    own.write_text(json.dumps([{"name": "=naive", "messages": [naive]}]))
    told = run("--files", chats, "--policies", own, "--price", "3,0.3,3.75,15", "--csv", own)
    assert "2 conversations, 6 calls\n" in told
    last = list(csv.DictReader(StringIO(own.read_text())))[-1]
    assert (last["policy"], last["invalid_calls"]) == ("'=naive", "2")


def test_what_was_recorded_is_what_was_visible_then() -> None:
    api = Api()
    conversation(*TALK[:4], public_id="c")
    keep = {"operation": "truncate", "truncate": {"keep_last": 1}}
    api.post("/conversations/c/operations", keep)
    api.post("/conversations/c/messages", {"messages": TALK[4:]})
    actor = system_actor(default_workspace(), "test")
    (found,) = recorded_conversations(actor, ConversationFilter(), 10)
    full, recorded = zip(*(call.by_policy for call in replay(found, policies_of([]))), strict=True)
    assert [call.messages for call in full] == [1, 3, 5]
    assert [call.messages for call in recorded] == [1, 3, 2]


def test_no_conversation_gives_an_empty_table() -> None:
    assert "There is no call" in run("--presets", "budget")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--nodes", "ask"), "--nodes needs --workflow"),
        (("--workspace", "unheard"), "no workspace"),
        (("--price", "3,1"), "four prices of 0 or more"),
        (("--price", "NaN,1,1,1"), "four prices of 0 or more"),
        (("--last", "0"), "a number from 1 to"),
        (("--files", "no-such-file.jsonl"), "No such file"),
        (("--status", "ASLEEP"), "Unknown status"),
        (("--workflow", "unheard"), "There is no workflow 'unheard'"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        run(*arguments)


@pytest.mark.parametrize("option", ["--csv", "--calls-csv"])
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_replayed(
    option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replayed(*_: Any, **__: Any) -> None:
        raise AssertionError("nothing is to be replayed")

    monkeypatch.setattr(backtest, "run_backtest", replayed)
    with pytest.raises(CommandError, match=r"/no/such/folder/x\.csv: No such file"):
        run(option, "/no/such/folder/x.csv")


def test_a_change_that_leaves_something_is_not_reported_as_everything() -> None:
    told = [change_words(share) for share in (-0.99876, -1.0, -0.994, 12.5, None)]
    assert told == ["−99.9 %", "−100 %", "−99 %", "+1,250 %", "±0 %"]
    assert [shown_percent(share) for share in (-0.99876, -1.0, 0.2)] == [-99.9, -100, 20]


def test_a_policy_that_makes_no_sense_is_named_with_its_place(tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    block = {"max_tokens": 10, "target_tokens": 20}
    own.write_text(json.dumps([{"messages": [{"operation": "budget", "budget": block}]}]))
    with pytest.raises(CommandError, match="/policies/0/messages/0/budget/target_tokens"):
        run("--policies", own)
