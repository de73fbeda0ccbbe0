"""What stands on the cards and chips of the graphical editor, and which problems it names."""

import pytest
from django.test import Client

from tests.integration.pages.workflows.unsaved import ANSWER, GO, START, ask, document

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small")]


def test_words_tell_each_card_and_each_chip(designer: Client) -> None:
    told = ask(designer, "words", {"document": document()}).json()
    answer = told["nodes"]["answer"]
    assert answer["title"] == "Answer"
    assert answer["type_label"] == "llm"
    assert answer["context_label"] == "only what its filter includes"
    assert answer["filter"] == ["only prompt.*", "last 2"]
    assert told["edges"]["go"] == {
        "label": "conditional",
        "chips": ["last 6", "no tools"],
        "condition": "if priority === 'high'",
        "problems": [],
    }
    assert told["problems"] == []


def test_words_name_problems_at_the_element_and_in_the_list(designer: Client) -> None:
    lost = {**GO, "id": "lost", "to": "nowhere"}
    told = ask(designer, "words", {"document": document(edges=[GO, lost])}).json()
    assert told["edges"]["lost"]["problems"][0].startswith("To: there is no node 'nowhere'")
    assert told["problems"][0]["pointer"] == "/edges/1/to"
    assert told["problems"][0]["edge"] == "lost"


def test_one_broken_element_leaves_the_words_of_the_others(designer: Client) -> None:
    broken = {"id": "broken", "type": "llm", "name": "Half", "position": 7}
    given = document(broken, 5, {"id": "bad id"}, START, ANSWER)
    told = ask(designer, "words", {"document": given}).json()
    assert told["nodes"]["answer"]["filter"] == ["only prompt.*", "last 2"]
    assert told["nodes"]["broken"]["title"] == "Half"
    assert "position" in told["nodes"]["broken"]["problems"][0]
    assert told["nodes"]["bad id"]["problems"]
    pointers = {each["pointer"] for each in told["problems"]}
    assert {"/nodes/0/position", "/nodes/1", "/nodes/2/id", "/nodes/2/type"} <= pointers


def test_problems_of_the_graph_count_places_as_the_browser_does(designer: Client) -> None:
    alone = {"id": "alone", "type": "llm"}
    told = ask(designer, "words", {"document": document({}, START, ANSWER, alone)}).json()
    found = next(each for each in told["problems"] if each["code"] == "unreachable_node")
    assert found["pointer"] == "/nodes/3"
    assert told["nodes"]["alone"]["problems"]


def test_words_of_a_changed_element_are_not_those_of_before(designer: Client) -> None:
    ask(designer, "words", {"document": document()})
    other = {**ANSWER, "name": "Renamed"}
    told = ask(designer, "words", {"document": document(START, other)}).json()
    assert told["nodes"]["answer"]["title"] == "Renamed"


def test_fields_that_no_document_has_are_named(designer: Client) -> None:
    told = ask(designer, "words", {"document": document(surprise=1, reducers=5)}).json()
    assert {each["pointer"] for each in told["problems"]} == {"/surprise", "/reducers"}


def test_elements_of_one_id_have_words_of_their_own(designer: Client) -> None:
    twins = [{"id": "twin", "type": "llm"}, {"id": "twin", "type": "tool"}]
    loose = {"id": "go", "type": "sequence", "from": "start", "to": "nowhere"}
    given = document(START, *twins, edges=(loose, {**loose, "to": "twin"}))
    told = ask(designer, "words", {"document": given}).json()
    first, second = told["nodes"]["twin"], told["nodes"]["twin~2"]
    assert (first["type_label"], second["type_label"]) == ("llm", "tool")
    taken = "ID: another node has the id 'twin'"
    assert (taken in first["problems"], taken in second["problems"]) == (False, True)
    dangling = "To: there is no node 'nowhere'"
    assert dangling in told["edges"]["go"]["problems"]
    assert dangling not in told["edges"]["go~2"]["problems"]


def test_problems_name_the_element_and_the_field_by_their_labels(designer: Client) -> None:
    rule = {"type": "include", "pattern": "a", "condition": "&&"}
    nodes = [
        START,
        {"id": "n3", "type": "context_processor", "name": "Shorten", "config": {}},
        {**ANSWER, "context_filter": {"rules": [rule]}},
        {"id": "ask", "type": "llm", "config": {"pause": "after", "timeout": {"seconds": 5}}},
    ]
    edge = {"id": "go", "type": "conditional", "from": "start", "to": "n3"}
    told = ask(designer, "words", {"document": document(*nodes, edges=[edge])}).json()
    places = {
        each.get("node") or each.get("edge"): (each["element"], each["field"], each["input"])
        for each in told["problems"]
        if each["code"] != "unreachable_node"
    }
    assert places["n3"][::2] == ("Shorten", "node-operation-operation")
    assert places["n3"][1].endswith("› Operation")
    assert places["answer"][2] == "node-context_filters-0-rules-0-condition"
    assert places["ask"] == ("ask", "After the timeout", "node-timeout_outcome")
    assert places["go"] == ("start → Shorten", "Condition", "edge-condition")
    assert told["nodes"]["ask"]["problems"][0].startswith("After the timeout: ")
