"""Filters, joins and conditions tried by REST; nothing of it is stored."""

from typing import Any

import pytest
from pytest_django import Settings

from ctxadmin.audit.models import AuditEntry
from tests.factories import Api, assistant, calls, result, system, user
from tests.openapi import CheckedApi
from tests.problems import assert_problem
from workflows.domain.processors.registries import standard

pytestmark = pytest.mark.django_db

CONTEXT = {
    "template": "Answer {{question}}",
    "variables": {"llm.model": "m", "tool.name": "calculator", "system.version": 1},
    "history": [
        {"node_id": "ask", "prompt": "p", "response": "r", "timestamp": None, "metadata": {}},
        {
            "node_id": "look",
            "prompt": "",
            "response": "",
            "timestamp": None,
            "metadata": {"toolCall": True},
        },
    ],
    "metadata": {"camelCase": {"x_y": 1}},
}
MESSAGES = [system("Be kind."), user("hi"), calls("c1"), result("c1"), assistant("done")]


@pytest.fixture
def api(db: None) -> CheckedApi:
    """A token without any scope."""
    return CheckedApi([])


def apply(api: Api, *steps: dict[str, Any], messages: Any = (), context: Any = None) -> Any:
    body: dict[str, Any] = {"context": CONTEXT if context is None else context, "steps": steps}
    if messages:
        body["messages"] = messages
    return api.post("/filters/apply", body)


def rules(*listed: dict[str, Any]) -> dict[str, Any]:
    """A step of a context filter with these rules."""
    return {"context_filter": {"rules": list(listed)}}


# -- filters/apply


def test_an_llm_node_sees_its_variables_and_no_tool_history(api: CheckedApi) -> None:
    shown = apply(api, {"node_type": "llm"}, messages=MESSAGES).json()
    assert shown["context"]["variables"] == {"llm.model": "m"}
    assert [entry["node_id"] for entry in shown["context"]["history"]] == ["ask"]
    assert shown["context"]["metadata"] == CONTEXT["metadata"]
    assert shown["context"]["template"] == CONTEXT["template"]
    assert [message["index"] for message in shown["messages"]] == [0, 1, 2, 3, 4]


def test_the_explanation_names_each_item_with_its_step_and_reason(api: CheckedApi) -> None:
    rules = [{"type": "exclude", "pattern": "tool.*"}]
    context_filter = {"rules": rules, "default_behavior": "pass"}
    shown = apply(api, {"node_type": "task"}, {"context_filter": context_filter}).json()
    told = {(each["section"], each.get("name")): each for each in shown["explanation"]}
    assert told["variables", "tool.name"]["verdict"] == "dropped"
    assert (told["variables", "tool.name"]["step"], told["variables", "tool.name"]["rule"]) == (
        1,
        0,
    )
    assert told["variables", "llm.model"]["verdict"] == "kept"
    assert all(each["reason"] for each in shown["explanation"])


@pytest.mark.parametrize(
    ("step", "kept"),
    [
        ({"node_type": "tool"}, ["tool.name"]),
        ({"node_type": "whatever"}, ["llm.model", "tool.name", "system.version"]),
        ({"context_type": "isolate"}, []),
        ({"context_type": "system_context"}, ["system.version"]),
        ({"context_type": "filter_in", "context_filter": {"rules": []}}, []),
        ({"processor": "llm_context"}, ["llm.model"]),
        ({"edge_filter": {"type": "pass_none"}}, []),
        ({"edge_filter": {"type": "selective", "include_patterns": ["s*"]}}, ["system.version"]),
        (
            {"context_filter": [{"rules": [{"type": "exclude", "pattern": "*.name"}]}]},
            ["llm.model", "system.version"],
        ),
    ],
    ids=str,
)
def test_every_kind_of_step_is_applied(
    api: CheckedApi, step: dict[str, Any], kept: list[str]
) -> None:
    answer = apply(api, step)
    assert answer.status_code == 200, answer.content
    assert list(answer.json()["context"]["variables"]) == kept


def test_no_steps_change_nothing(api: CheckedApi) -> None:
    shown = apply(api, messages=[user("hi")]).json()
    assert shown["context"] == CONTEXT
    message = shown["messages"][0]
    assert (message["id"], message["role"], message["content"]) == ("log-0", "user", "hi")
    assert message["tokens"] > 0


def test_messages_come_back_with_all_their_fields(api: CheckedApi) -> None:
    sent = {
        "role": "user",
        "content": [{"type": "text", "text": "hi"}],
        "id": "m1",
        "x_camelCase": 1,
    }
    shown = apply(api, messages=[sent]).json()["messages"][0]
    assert {key: shown[key] for key in sent} == sent


def test_operations_of_a_filter_narrow_the_messages_and_warn(api: CheckedApi) -> None:
    truncate = {"operation": "truncate", "truncate": {"keep_last": 2}}
    shown = apply(api, {"context_filter": {"messages": [truncate]}}, messages=MESSAGES).json()
    assert [message["index"] for message in shown["messages"]] == [3, 4]
    assert shown["warnings"][0]["code"] == "split_pair"
    assert shown["warnings"][0]["step"] == 0


def test_messages_that_a_filter_puts_in_are_shown_and_reported(api: CheckedApi) -> None:
    insert = {"operation": "insert", "insert": {"position": 0, "messages": [system("New.")]}}
    shown = apply(
        api, {"edge_filter": {"type": "pass_all", "messages": [insert]}}, messages=MESSAGES
    )
    found = shown.json()["messages"]
    assert [message["index"] for message in found] == [5, 0, 1, 2, 3, 4]
    assert found[0]["content"] == "New."
    added = [each for each in shown.json()["explanation"] if each["verdict"] == "added"]
    assert [each["index"] for each in added] == [5]


def test_a_transform_changes_the_texts_of_messages(api: CheckedApi) -> None:
    rule = {"type": "transform", "pattern": "user", "target": "messages", "transform": "uppercase"}
    shown = apply(api, {"context_filter": {"rules": [rule]}}, messages=MESSAGES).json()
    by_role = {message["role"]: message["content"] for message in shown["messages"]}
    assert by_role["user"] == "HI"


def test_a_rename_is_reported_with_both_values(api: CheckedApi) -> None:
    rule = {"pattern": "tool.*", "rename": "t.*", "transform": "uppercase"}
    step = {"edge_filter": {"type": "transform", "transform_rules": [rule]}}
    shown = apply(api, step).json()
    assert shown["context"]["variables"]["t.name"] == "CALCULATOR"
    told = next(each for each in shown["explanation"] if each["verdict"] == "changed")
    assert (told["name"], told["renamed"]) == ("tool.name", "t.name")
    assert (told["before"], told["after"]) == ("calculator", "CALCULATOR")


@pytest.mark.parametrize(
    ("step", "pointer"),
    [
        ({}, "/steps/0"),
        ({"config": {}}, "/steps/0"),
        ({"node_type": "llm", "context_type": "isolate"}, "/steps/0"),
        ({"processor": "merge", "edge_filter": {"type": "pass_all"}}, "/steps/0"),
        ({"node_type": 3}, "/steps/0/node_type"),
        ({"nodetype": "llm"}, "/steps/0/nodetype"),
        ({"context_type": "lmm_context"}, "/steps/0/context_type"),
        ({"processor": "nothing"}, "/steps/0/processor"),
        (rules({"type": "x", "pattern": "a"}), "/steps/0/context_filter/rules/0/type"),
        (rules({"type": "include", "pattern": ""}), "/steps/0/context_filter/rules/0/pattern"),
        ({"context_filter": [{}, {"priority": "high"}]}, "/steps/0/context_filter/1/priority"),
        (
            rules({"type": "transform", "pattern": "a", "transform": "upper"}),
            "/steps/0/context_filter/rules/0/transform",
        ),
        ({"context_filter": 3}, "/steps/0/context_filter"),
        ({"edge_filter": {"type": "selective"}}, "/steps/0/edge_filter/include_patterns"),
        (
            {"edge_filter": {"type": "conditional", "condition": "a ==="}},
            "/steps/0/edge_filter/condition",
        ),
        (
            {"context_filter": {"messages": [{"operation": "truncate"}]}},
            "/steps/0/context_filter/messages/0/truncate",
        ),
        (
            {"context_filter": {"messages": [{"processorType": "filter", "rules": []}]}},
            "/steps/0/context_filter/messages/0",
        ),
    ],
    ids=str,
)
def test_a_step_that_cannot_be_is_refused_where_it_is_wrong(
    api: CheckedApi, step: dict[str, Any], pointer: str
) -> None:
    assert_problem(apply(api, step), 422, "validation", pointer)


@pytest.mark.parametrize(
    ("context", "pointer"),
    [
        ([], "/context"),
        ({"variables": []}, "/context/variables"),
        ({"history": [{"prompt": ""}]}, "/context/history/0/node_id"),
        ({"vars": {}}, "/context/vars"),
    ],
    ids=str,
)
def test_what_is_no_context_is_refused(api: CheckedApi, context: Any, pointer: str) -> None:
    assert_problem(apply(api, context=context), 422, "validation", pointer)


def test_a_message_that_cannot_be_is_refused(api: CheckedApi) -> None:
    answer = apply(api, messages=[user("hi"), {"role": "system", "content": ""}])
    assert_problem(answer, 422, "validation", "/messages/1/content")


def test_two_messages_with_one_id_are_duplicate(api: CheckedApi) -> None:
    answer = apply(api, messages=[user("a") | {"id": "x"}, user("b") | {"id": "x"}])
    assert_problem(answer, 409, "duplicate", "/messages/1/id")


def test_a_rename_onto_an_existing_name_is_duplicate(api: CheckedApi) -> None:
    rule = {"pattern": "tool.name", "rename": "llm.model"}
    answer = apply(api, {"edge_filter": {"type": "transform", "transform_rules": [rule]}})
    assert_problem(answer, 409, "duplicate")


def test_an_operation_beyond_the_messages_is_out_of_range(api: CheckedApi) -> None:
    insert = {"operation": "insert", "insert": {"position": 9, "messages": [user("x")]}}
    answer = apply(api, {"context_filter": {"messages": [insert]}}, messages=MESSAGES)
    pointer = "/steps/0/context_filter/messages/0/insert/position"
    assert_problem(answer, 422, "out_of_range", pointer)


def test_a_processor_of_this_server_can_be_used(api: CheckedApi) -> None:
    seen: dict[str, Any] = {}

    def shout(node_input: Any, config: Any) -> Any:
        """Takes everything."""
        seen.update(config)
        return node_input

    processors = standard().processors
    processors.register("shout", shout)
    try:
        assert apply(api, {"processor": "shout", "config": {"loud": True}}).status_code == 200
        listed = {each["name"]: each for each in api.get("/processors").json()["results"]}
    finally:
        processors.unregister("shout")
    assert seen == {"loud": True}
    assert (listed["shout"]["origin"], listed["shout"]["description"]) == (
        "registered",
        "Takes everything.",
    )


# -- filters/join


def join(api: Api, *arrivals: dict[str, Any]) -> Any:
    return api.post("/filters/join", {"arrivals": list(arrivals)})


def test_of_two_values_the_later_wins_and_the_clash_is_reported(api: CheckedApi) -> None:
    shown = join(
        api,
        {"edge": "a", "context": {"template": "T", "variables": {"x": 1, "same": 1}}},
        {"edge": "b", "context": {"template": "U", "variables": {"x": 2, "same": 1, "y": 3}}},
    ).json()
    assert shown["context"]["variables"] == {"x": 2, "same": 1, "y": 3}
    assert shown["context"]["template"] == "T"
    assert shown["conflicts"] == [
        {"section": "variables", "name": "x", "winner": "b", "loser": "a"}
    ]


def test_an_arrival_without_a_name_is_called_by_its_place(api: CheckedApi) -> None:
    arrivals = [{"context": {"metadata": {"k": number}}} for number in range(2)]
    assert join(api, *arrivals).json()["conflicts"][0] == {
        "section": "metadata",
        "name": "k",
        "winner": "1",
        "loser": "0",
    }


def test_what_came_along_an_edge_is_filtered_by_its_filter(api: CheckedApi) -> None:
    only = {"type": "selective", "include_patterns": ["a"]}
    shown = join(
        api,
        {"context": {"variables": {"a": 1, "b": 1}}, "edge_filter": only},
        {"context": {"variables": {"b": 2}}},
    ).json()
    assert shown["context"]["variables"] == {"a": 1, "b": 2}
    assert shown["conflicts"] == []


def test_one_message_of_two_arrivals_is_shown_once(api: CheckedApi) -> None:
    hello = user("hi") | {"id": "m1"}
    shown = join(
        api,
        {"context": {}, "messages": [hello, assistant("a")]},
        {"context": {}, "messages": [hello, assistant("b")]},
    ).json()
    assert [message["content"] for message in shown["messages"]] == ["hi", "a", "b"]


def test_messages_that_an_edge_filter_puts_in_are_joined(api: CheckedApi) -> None:
    insert = {"operation": "insert", "insert": {"position": 0, "messages": [system("New.")]}}
    edge_filter = {"type": "pass_all", "messages": [insert]}
    for others in ([], [{"context": {}, "messages": [user("hi"), user("more")]}]):
        arrival = {"context": {}, "messages": [user("hi")], "edge_filter": edge_filter}
        answer = join(api, arrival, *others)
        assert answer.status_code == 200, answer.content
        texts = [message["content"] for message in answer.json()["messages"]]
        assert texts == ["New.", "hi", *(["more"] if others else [])]


def test_a_join_needs_an_arrival_and_names_what_is_wrong_with_one(api: CheckedApi) -> None:
    assert_problem(join(api), 422, "validation", "/arrivals")
    wrong = join(api, {"context": {}}, {"context": {"variables": 1}})
    assert_problem(wrong, 422, "validation", "/arrivals/1/context/variables")
    filtered = join(api, {"context": {}, "edge_filter": {"type": "some"}})
    assert_problem(filtered, 422, "validation", "/arrivals/0/edge_filter/type")


# -- conditions/check


def check(api: Api, text: Any, context: Any = None) -> Any:
    return api.post("/conditions/check", {"text": text, "context": context})


# -- all of them


def test_nothing_of_it_is_stored(api: CheckedApi) -> None:
    before = AuditEntry.objects.count()
    apply(api, {"node_type": "llm"})
    join(api, {"context": {}})
    check(api, "a")
    assert AuditEntry.objects.count() == before


def test_they_need_a_token(api: CheckedApi) -> None:
    api.client.credentials()
    for answer in (apply(api), join(api, {"context": {}}), check(api, "a"), api.get("/processors")):
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")


# -- work


def test_rules_on_many_names_are_refused_as_too_much_work(
    api: CheckedApi, settings: Settings
) -> None:
    settings.MAX_WORK = 200_000
    names: dict[str, Any] = {"variables": {f"name.{number}": 1 for number in range(1_000)}}
    patterns = [{"type": "exclude", "pattern": f"*x{number}*"} for number in range(100)]
    assert apply(api, rules(*patterns[:1]), context=names).status_code == 200
    refused = apply(api, rules(*patterns), context=names)
    assert_problem(refused, 413, "too_large")
    assert refused.json()["limit"] == 200_000
    assert "names of variables" in refused.json()["detail"]


def test_keywords_in_many_messages_are_refused_at_their_operation(
    api: CheckedApi, settings: Settings
) -> None:
    settings.MAX_WORK = 100_000
    words = [f"{number:04} keyword" for number in range(100)]
    operation = {"operation": "filter", "filter": {"content_excludes": words}}
    step = {"context_filter": {"rules": [], "messages": [operation] * 32}}
    refused = apply(api, step, messages=[user("x" * 1_000)] * 10)
    assert_problem(refused, 413, "too_large")
    assert refused.json()["errors"][0]["pointer"].startswith("/steps/0/context_filter/messages/")


def test_all_arrivals_of_a_join_draw_on_one_budget(api: CheckedApi, settings: Settings) -> None:
    settings.MAX_WORK = 200_000
    names: dict[str, Any] = {"variables": {f"name.{number}": 1 for number in range(1_000)}}
    patterns = [f"*{number}*" for number in range(30)]
    arrival = {"context": names, "edge_filter": {"type": "selective", "exclude_patterns": patterns}}
    assert api.post("/filters/join", {"arrivals": [arrival] * 2}).status_code == 200
    assert_problem(api.post("/filters/join", {"arrivals": [arrival] * 4}), 413, "too_large")
