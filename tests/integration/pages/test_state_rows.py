"""The rows of the form of a state: names, kinds, values, and what is wrong with them."""

import re
from typing import Any

import pytest
from django.test import Client

from tests.integration.checkpoints.flows import REVIEW, Run, edge, node, publish
from tests.integration.pages.execution_scenes import field_of, form_of, running, text, url
from tests.integration.pages.state_edits import (
    apply,
    kind_of_row,
    opened,
    send,
    typed,
    with_reducers,
)

pytestmark = pytest.mark.django_db


def test_wrong_json_names_its_line_and_column_and_keeps_all_that_was_typed(
    reviewer: Client, run: Run
) -> None:
    fields = typed(opened(reviewer, run), facts='{"a": 1,\r\n "b" 2}', draft="Dear friend")
    answer = send(reviewer, run, fields)
    assert answer.status_code == 422
    assert "Line 2, column 6" in text(answer)
    assert "Dear friend" in text(answer)
    assert run.snapshot()["version"] == 1


@pytest.mark.parametrize(
    "value", ["", "three", "NaN", "1e999", "true", "[1]", "18446744073709551616"]
)
def test_a_number_must_be_one(reviewer: Client, run: Run, value: str) -> None:
    answer = send(reviewer, run, typed(opened(reviewer, run), count=value))
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in text(answer)


def test_a_key_is_deleted_and_another_added(reviewer: Client, run: Run) -> None:
    fields = opened(reviewer, run)
    place = field_of(fields, "facts")
    new = field_of(fields, "")
    fields |= {f"gone-{place}": "1", f"name-{new}": "mood", f"kind-{new}": "json"}
    fields[f"value-{new}"] = '["calm"]'
    assert apply(reviewer, run, send(reviewer, run, fields)).status_code == 302
    assert "facts" not in run.state()
    assert run.state()["mood"] == ["calm"]


def test_another_line_for_a_new_key_is_given_without_losing_what_was_typed(
    reviewer: Client, run: Run
) -> None:
    fields = typed(opened(reviewer, run), draft="Dear friend")
    new = field_of(fields, "")
    typed_key = {f"name-{new}": "tone", f"value-{new}": "warm"}
    answer = send(reviewer, run, fields | typed_key, "add")
    assert answer.status_code == 200
    assert "Dear friend" in text(answer)
    names = [value for name, value in form_of(text(answer)).items() if name.startswith("name-")]
    assert (names.count("tone"), names.count("")) == (1, 1)
    assert text(answer).count('<details class="edit-adds" open>') == 2


@pytest.mark.parametrize("name", ["draft", "messages", "execution_history"])
def test_a_new_key_needs_a_name_of_its_own(reviewer: Client, run: Run, name: str) -> None:
    fields = opened(reviewer, run)
    new = field_of(fields, "")
    answer = send(reviewer, run, fields | {f"name-{new}": name, f"value-{new}": "x"})
    assert answer.status_code == 422
    assert run.snapshot()["version"] == 1


@pytest.mark.parametrize("name", ["", "draft", "k" * 201])
def test_a_bad_name_is_reported_at_the_field_of_the_name(
    reviewer: Client, run: Run, name: str
) -> None:
    fields = opened(reviewer, run)
    new = field_of(fields, "")
    html = text(send(reviewer, run, fields | {f"name-{new}": name, f"value-{new}": "x"}))
    inputs = re.findall(r'<(?:input|textarea) [^>]*aria-invalid="true"[^>]*>', html)
    assert [re.search(r' name="([a-z]+)', tag)[1] for tag in inputs] == ["name"]  # type: ignore[index]
    assert name[:40] in html


def test_a_key_that_is_too_long_is_named_in_a_json_text(reviewer: Client, run: Run) -> None:
    sent = form_of(text(send(reviewer, run, opened(reviewer, run), "raw")))
    html = text(send(reviewer, run, sent | {"raw": '{"%s": 1}' % ("k" * 201)}))
    assert "The key kkkk" in html
    assert "201 characters" in html


def test_a_value_without_a_name_is_not_lost(reviewer: Client, run: Run) -> None:
    fields = opened(reviewer, run)
    answer = send(reviewer, run, fields | {f"value-{field_of(fields, '')}": "a long text"})
    assert answer.status_code == 422
    assert "a long text" in text(answer)


@pytest.mark.parametrize(
    ("value", "kind"),
    [("a", "text"), (1.5, "number"), (True, "boolean"), ([1], "list"), ({"a": 1}, "object"),
     (None, "null"), ("\x00", "json")],
)  # fmt: skip
def test_each_value_has_the_input_of_its_kind_and_comes_back_as_it_was(
    reviewer: Client, value: Any, kind: str
) -> None:
    run = with_reducers({"it": value})
    fields = opened(reviewer, run)
    assert kind_of_row(fields, "it") == kind
    assert "There are no changes yet" in text(send(reviewer, run, fields))


@pytest.mark.parametrize(
    ("kind", "typed_text", "value"),
    [("null", "what stood there", None), ("list", "[1]", [1]), ("number", "2", 2),
     ("boolean", "true", True), ("object", "{}", {}), ("text", "[1]", "[1]")],
)  # fmt: skip
def test_a_key_takes_a_value_of_another_kind(
    reviewer: Client, kind: str, typed_text: str, value: Any
) -> None:
    run = with_reducers({"it": "a"})
    fields = typed(opened(reviewer, run), it=typed_text)
    fields[f"kind-{field_of(fields, 'it')}"] = kind
    assert apply(reviewer, run, send(reviewer, run, fields)).status_code == 302
    assert run.state()["it"] == value


@pytest.mark.parametrize(("kind", "word"), [("list", "a list"), ("object", "an object")])
def test_a_value_that_is_not_of_the_chosen_kind_is_refused(
    reviewer: Client, kind: str, word: str
) -> None:
    run = with_reducers({"it": "a"})
    fields = typed(opened(reviewer, run), it="7")
    fields[f"kind-{field_of(fields, 'it')}"] = kind
    answer = send(reviewer, run, fields)
    assert answer.status_code == 422
    assert f"Enter {word}" in text(answer)


def test_declared_keys_that_are_not_set_are_offered_with_the_kind_of_their_reducer(
    reviewer: Client,
) -> None:
    run = with_reducers(
        {"draft": "a"}, count="increment", log="append", facts="merge", tone="overwrite",
        **{"more.*": "append"},
    )  # fmt: skip
    fields = opened(reviewer, run)
    kinds = {key: kind_of_row(fields, key) for key in ("count", "log", "facts", "tone")}
    assert kinds == {"count": "number", "log": "list", "facts": "object", "tone": "text"}
    assert "more.*" not in fields.values()
    assert "There are no changes yet" in text(send(reviewer, run, fields))
    fields = typed(fields, count="3", log='["a"]')
    assert apply(reviewer, run, send(reviewer, run, fields)).status_code == 302
    assert run.state() == {"draft": "a", "count": 3, "log": ["a"]}
    assert "count" in opened(reviewer, run).values()


def test_a_declared_key_that_gets_the_wrong_kind_names_itself(reviewer: Client) -> None:
    run = with_reducers({"draft": "a"}, log="append")
    answer = send(reviewer, run, typed(opened(reviewer, run), log="7"))
    assert answer.status_code == 422
    assert "The key &#x27;log&#x27; is reduced by append, which needs a list" in text(answer)


def test_a_declared_key_that_is_typed_and_cleared_is_pending_no_more(reviewer: Client) -> None:
    run = with_reducers({"draft": "a"}, log="append")
    fields = typed(opened(reviewer, run), log='["a"]')
    assert send(reviewer, run, fields, "keep").json()["count"] == 1
    again = opened(reviewer, run)
    assert again[f"value-{field_of(again, 'log')}"] == '["a"]'
    assert send(reviewer, run, typed(again, log=""), "keep").json()["count"] == 0


def test_the_declared_keys_of_a_pinned_workflow_are_offered(reviewer: Client) -> None:
    nodes = [node("write"), node("review", config=REVIEW)]
    publish("declaring", nodes, [edge("write", "review")], reducers={"sums": "increment"})
    run = running("declaring")
    assert run.complete("write").status_code == 201
    assert kind_of_row(opened(reviewer, run), "sums") == "number"


def test_among_many_keys_those_that_are_reviewed_come_first(reviewer: Client, run: Run) -> None:
    run.update("review", state_data={f"a{number}": number for number in range(1, 21)})
    html = text(reviewer.get(url(run, "state/")))
    names = re.findall(r'data-key-name="([^"]+)"', html)
    assert names.index("draft") < names.index("a1") < names.index("a2") < names.index("a14")


def test_objects_in_a_list_come_laid_out_and_one_of_their_fields_changes_alone(
    reviewer: Client,
) -> None:
    """As the script edits them: it changes the text of the key at one place."""
    flights = [{"z": 9007199254740993, "price": 152.0, "": "\u202ea"}, {"a.b": None, "ok": True}]
    run = with_reducers({"flights": flights, "customer": {"address": {"city": "Austin"}}})
    html = text(reviewer.get(url(run, "state/")))
    assert 'data-add-item="Add an item"' in html
    fields = opened(reviewer, run)
    shown = fields[f"value-{field_of(fields, 'flights')}"].replace("\r\n", "\n")
    assert '\n    "price": 152.0,\n' in shown
    assert "There are no changes yet" in text(send(reviewer, run, fields))
    fields = typed(fields, flights=shown.replace("true", "false"))
    assert apply(reviewer, run, send(reviewer, run, fields)).status_code == 302
    changed = [flights[0], {"a.b": None, "ok": False}]
    assert repr(run.state()["flights"]) == repr(changed)  # also the order, and 152.0


def test_a_refusal_leads_to_the_first_wrong_key(reviewer: Client, run: Run) -> None:
    html = text(send(reviewer, run, typed(opened(reviewer, run), count="three")))
    link = re.search(r'href="#(value-\d+)">Go to the field', html)
    assert link is not None
    assert f'id="{link[1]}"' in html


def test_a_form_leads_to_the_keys_that_it_does_not_show(reviewer: Client) -> None:
    run = running()
    kinds = ("customer", "order")
    state = {f"{kind}.{n}": n for kind in kinds for n in range(80)} | {"Order note": "late"}
    assert run.save("v1", status="PAUSED", state_data=state).status_code == 201
    shown = text(reviewer.get(url(run, "state/")))
    assert 'href="#keys:customer"' in shown
    assert 'href="?q=order."' in shown
    assert shown.count("61 more keys are not shown") == 2
    assert "press Enter to search all 161" in shown
    found = text(reviewer.get(url(run, "state/?q=ORDER")))
    assert 'data-key-name="Order note"' in found
    assert found.count('data-key-name="order.') == 80
