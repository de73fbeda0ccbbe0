"""What the cards and the panel of the editor say of the cost of policies, saved or not."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.test import Client
from pydantic import JsonValue

from tests.factories import assistant, conversation, system, user
from tests.integration.pages.workflows.unsaved import START, about, ask, document

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small")]

WORDS = "The saddle and the bell are in stock, and both can be sent today. " * 6
GO: JsonValue = {"id": "go", "type": "sequence", "from": "start", "to": "answer"}


def talk(name: str, turns: int = 15, slug: str = "small") -> None:
    said = [each for _ in range(turns) for each in (user(WORDS), assistant(WORDS))]
    conversation(system("Be kind. " * 20), *said, public_id=name, workflow=slug)


def answer(*operations: JsonValue, **more: Any) -> dict[str, Any]:
    own = {"rules": [], "default_behavior": "pass", "messages": [*operations]}
    return {"id": "answer", "type": "llm", "context_filter": own, **more}


def last(count: int) -> JsonValue:
    cut: JsonValue = {"keep_last": count, "keep_system": True}
    return {"operation": "truncate", "truncate": cut, "pairing": "keep"}


def told(client: Client, *nodes: Any, edges: Sequence[JsonValue] = (GO,)) -> Any:
    for _ in range(50):
        body = {"document": document(START, *nodes, edges=[*edges])}
        found = ask(client, "costs", body).json()
        if found["whole"]:
            return found
    raise AssertionError("never whole")


def test_a_policy_that_raises_the_cost_is_warned_of_with_the_figure_and_a_budget(
    designer: Client,
) -> None:
    talk("one")
    talk("two")
    found = told(designer, answer(last(4)))
    words = found["nodes"]["answer"]
    assert "tokens, +" in words["line"]
    assert words["line"].startswith("−")
    assert words["warning"].startswith("Raises the cost by ")
    assert words["offer"]["label"].startswith("Use budget ")
    assert words["offer"]["label"].endswith(" % cost)")
    assert words["basis"].startswith("30 calls of any node. No price of a model: in proportion")
    assert found["said"] == "On the latest 2 conversations of this workflow."
    repaired = told(designer, words["offer"]["element"])["nodes"]["answer"]
    assert (repaired["warning"], repaired["offer"]) == ("", None)
    change = words["offer"]["label"].rsplit("(", 1)[1].removesuffix(")")
    assert repaired["line"].endswith(change)


def test_the_costs_are_those_of_the_document_on_the_canvas_and_not_of_the_stored_one(
    designer: Client,
) -> None:
    talk("one")
    assert told(designer, answer())["nodes"]["answer"]["line"] == ""
    assert told(designer, answer(last(2)))["nodes"]["answer"]["line"] != ""


def test_without_conversations_the_panel_says_when_there_will_be_costs(designer: Client) -> None:
    found = told(designer, answer(last(4)))
    assert found["said"].startswith("No conversations in this workspace yet")
    assert found["nodes"]["answer"]["line"] == ""


def test_costs_on_conversations_of_others_say_so(designer: Client) -> None:
    talk("imported", slug="")
    found = told(designer, answer(last(4)))
    assert found["nodes"]["answer"]["warning"].startswith("Raises the cost by ")
    assert found["said"] == (
        "On the latest conversation of this workspace: this workflow has none yet."
    )
    talk("short", turns=3)
    assert told(designer, answer(last(4)))["said"] == (
        "This workflow has few messages yet: estimated on its own conversations (1) and the "
        "latest others of this workspace (1)."
    )


def test_few_calls_are_said_to_be_not_enough(designer: Client) -> None:
    talk("short", turns=3)
    said = told(designer, answer(last(4)))["nodes"]["answer"]["said"]
    assert said == "Not enough conversations to estimate costs: 3 calls of at least 10."


def test_prices_are_those_of_the_model_that_the_node_names(designer: Client) -> None:
    talk("one")
    words = told(designer, answer(last(4), config={"model": "gpt-5-mini"}))["nodes"]["answer"]
    assert words["basis"] == "15 calls of any node. Prices of gpt-5-mini."


def test_an_element_that_cannot_be_compiled_leaves_the_costs_of_the_others(
    designer: Client,
) -> None:
    talk("one")
    broken = {"id": "broken", "type": "llm", "context_type": "no-such-type"}
    found = told(designer, answer(last(4)), broken, {"id": "bad id"})
    assert list(found["nodes"]) == ["answer"]


def test_a_stored_version_and_a_draft_of_before_are_distinguished(designer: Client) -> None:
    sent = about(document())
    assert ask(designer, "costs", {**sent, "draft_version": 99}).status_code == 409


def test_a_node_behind_a_false_condition_is_not_reached_and_priced_as_if_it_were(
    designer: Client,
) -> None:
    talk("one")
    talk("two")
    ends = {"id": "go", "from": "start", "to": "answer"}
    shut: JsonValue = {**ends, "type": "conditional", "condition": "context.lang === 'zh'"}
    words = told(designer, answer(last(4)), edges=[shut])["nodes"]["answer"]
    assert words["line"] == words["brief"] == "not reached in 2 of 2 conversations"
    as_if = "A condition is false at 30 of 30 calls; estimated as if it were true."
    open_ = told(designer, answer(last(4)))["nodes"]["answer"]
    assert words["said"] == open_["said"]
    assert words["warning"] == f"{as_if} {open_['warning']}"
    assert words["offer"]["label"] == open_["offer"]["label"]


def test_a_condition_that_is_false_at_some_calls_is_said_in_calls_and_once(
    designer: Client,
) -> None:
    talk("one")
    talk("two")
    ends = {"id": "go", "from": "start", "to": "answer"}
    late: JsonValue = {**ends, "type": "conditional", "condition": "context.messages > 6"}
    words = told(designer, answer(last(4)), edges=[late])["nodes"]["answer"]
    said = "A condition is false at 6 of 30 calls; estimated as if it were true."
    assert words["said"].startswith(f"{said} ")
    assert words["warning"].startswith("Raises the cost by ")
    assert words["line"].startswith("−")


def test_what_stands_behind_an_unreached_node_is_not_reached_either(designer: Client) -> None:
    talk("one")
    ends = {"id": "go", "from": "start", "to": "answer"}
    shut: JsonValue = {**ends, "type": "conditional", "condition": "context.lang === 'zh'"}
    on: JsonValue = {"id": "on", "from": "answer", "to": "deeper", "type": "sequence"}
    nodes = answer(), answer(last(4)) | {"id": "deeper"}
    found = told(designer, *nodes, edges=[shut, on])
    assert found["nodes"]["deeper"]["line"] == "not reached in 1 of 1 conversation"


def test_what_costs_the_same_says_so_in_the_heading(designer: Client) -> None:
    talk("one")
    words = told(designer, {"id": "answer", "type": "llm"})["nodes"]["answer"]
    assert (words["line"], words["brief"]) == ("", "same as the full history")
