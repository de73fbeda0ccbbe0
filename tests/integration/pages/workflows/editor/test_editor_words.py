"""The texts on cards and chips of the graphical editor, and the problems it lists."""

import pytest
from django.test import Client

from tests.integration.pages.workflows.unsaved import ANSWER, GO, START, about, ask, document

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small")]


def test_words_tell_each_card_and_each_chip(designer: Client) -> None:
    told = ask(designer, "words", {"document": document()}).json()
    answer = told["nodes"]["answer"]
    assert answer["title"] == "Answer"
    assert answer["type_label"] == "llm"
    assert answer["context_label"] == "only what its filter includes"
    assert answer["filter"] == ["last 2", "only prompt.*"]
    assert told["edges"]["go"] == {
        "label": "conditional",
        "chips": ["last 6", "no tools"],
        "whole": ["last 6", "no tools"],
        "condition": "if priority === 'high'",
    }
    assert told["wrong"] == {"nodes": {}, "edges": {}}
    assert told["problems"] == []


def test_the_filter_of_an_edge_is_told_in_short_and_at_full_length(designer: Client) -> None:
    names = ["prompt.*", "customer.name", "order.*", "priority"]
    passing = {"type": "selective", "include_patterns": names}
    told = ask(designer, "words", {"document": document(edges=[{**GO, "context_filter": passing}])})
    words = told.json()["edges"]["go"]
    assert words["chips"] == ["only prompt.*, customer.name, order.* +1"]
    assert words["whole"] == ["only prompt.*, customer.name, order.*, priority"]


def test_words_name_problems_at_the_element_and_in_the_list(designer: Client) -> None:
    lost = {**GO, "id": "lost", "to": "nowhere"}
    told = ask(designer, "words", {"document": document(edges=[GO, lost])}).json()
    assert told["wrong"]["edges"]["lost"][0].startswith("To: There is no node 'nowhere'")
    assert told["problems"][0]["pointer"] == "/edges/1/to"
    assert told["problems"][0]["edge"] == "lost"
    assert told["warned"] == {"nodes": [], "edges": []}


def test_an_element_with_nothing_but_warnings_is_reported(designer: Client) -> None:
    never = {**GO, "id": "never", "condition": "context.tokens < 0"}
    both = {**never, "id": "both", "to": "nowhere"}
    told = ask(designer, "words", {"document": document(edges=[GO, never, both])}).json()
    assert told["warned"] == {"nodes": [], "edges": ["never"]}
    assert told["wrong"]["edges"].keys() == {"never", "both"}


def test_one_broken_element_leaves_the_words_of_the_others(designer: Client) -> None:
    broken = {"id": "broken", "type": "llm", "name": "Half", "position": 7}
    given = document(broken, 5, {"id": "bad id"}, START, ANSWER)
    told = ask(designer, "words", {"document": given}).json()
    assert told["nodes"]["answer"]["filter"] == ["last 2", "only prompt.*"]
    assert told["nodes"]["broken"]["title"] == "Half"
    assert "position" in told["wrong"]["nodes"]["broken"][0]
    assert told["wrong"]["nodes"]["bad id"]
    pointers = {each["pointer"] for each in told["problems"]}
    assert {"/nodes/0/position", "/nodes/1", "/nodes/2/id", "/nodes/2/type"} <= pointers


def test_problems_of_the_graph_count_places_as_the_browser_does(designer: Client) -> None:
    alone = {"id": "alone", "type": "llm"}
    told = ask(designer, "words", {"document": document({}, START, ANSWER, alone)}).json()
    found = next(each for each in told["problems"] if each["code"] == "unreachable_node")
    assert found["pointer"] == "/nodes/3"
    assert told["wrong"]["nodes"]["alone"]


def test_words_of_a_changed_element_are_not_those_of_before(designer: Client) -> None:
    ask(designer, "words", {"document": document()})
    other = {**ANSWER, "name": "Renamed"}
    told = ask(designer, "words", {"document": document(START, other)}).json()
    assert told["nodes"]["answer"]["title"] == "Renamed"


def test_words_are_those_of_the_elements_that_are_asked_for(designer: Client) -> None:
    lost = {**GO, "id": "lost", "to": "nowhere"}
    sent = about(document(edges=[GO, lost])) | {"nodes": ["answer", "nobody"], "edges": []}
    told = ask(designer, "words", sent).json()
    assert (list(told["nodes"]), told["edges"]) == (["answer"], {})
    # What is wrong elsewhere may come of this change.
    assert list(told["wrong"]["edges"]) == ["lost"]
    assert told["problems"][0]["edge"] == "lost"


def test_elements_of_one_id_have_words_of_their_own(designer: Client) -> None:
    twins = [{"id": "twin", "type": "llm"}, {"id": "twin", "type": "tool"}]
    loose = {"id": "go", "type": "sequence", "from": "start", "to": "nowhere"}
    given = document(START, *twins, edges=(loose, {**loose, "to": "twin"}))
    told = ask(designer, "words", {"document": given}).json()
    first, second = told["nodes"]["twin"], told["nodes"]["twin~2"]
    assert (first["type_label"], second["type_label"]) == ("llm", "tool")
    taken = "ID: Another node has the id 'twin'"
    wrong = told["wrong"]["nodes"]
    assert (taken in wrong.get("twin", ()), taken in wrong["twin~2"]) == (False, True)
    dangling = "To: There is no node 'nowhere'"
    assert dangling in told["wrong"]["edges"]["go"]
    assert dangling not in told["wrong"]["edges"].get("go~2", ())


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
    assert told["wrong"]["nodes"]["ask"][0].startswith("After the timeout: ")


def test_problems_of_an_element_that_cannot_be_read_name_it_and_the_field(designer: Client) -> None:
    broken = {"id": "b", "type": "llm", "name": "Draft", "context_type": 7, "surprise": 1}
    lost = {"id": "lost", "type": "sequence", "from": "b"}
    given = document(START, broken, ANSWER, edges=[lost])
    told = ask(designer, "words", {"document": given}).json()
    places = [(each["element"], each["field"], each["input"]) for each in told["problems"]]
    assert ("Draft", "Context type", "node-context_type") in places
    assert ("Draft", "surprise", "") in places
    assert ("Draft → ?", "To", "edge-to") in places
    assert any(each.startswith("Context type: ") for each in told["wrong"]["nodes"]["b"])
