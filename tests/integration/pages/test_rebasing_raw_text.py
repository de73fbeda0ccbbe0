"""An open JSON text merges the changes of others; replaced input becomes an alternative."""

import json
from typing import Any

import pytest
from django.test import Client

from checkpoints.models import PendingEdit
from checkpoints.pages.editing.edit_page import EditPage
from tests.integration.checkpoints.flows import Run
from tests.integration.pages.execution_scenes import Form, field_of, form_of, page, text, url
from tests.integration.pages.state_edits import kept, other_edit, send, typed, with_reducers

pytestmark = pytest.mark.django_db

TAKE = "state/?raw=1&text="


def whole(form: Form, **state: Any) -> Form:
    return form | {"raw": json.dumps(json.loads(form["raw"]) | state)}


def shown(client: Client, run: Run, path: str) -> EditPage:
    found = client.get(url(run, path)).context["page"]
    assert isinstance(found, EditPage)
    return found


def test_keys_that_meet_nothing_are_taken_in_and_count_as_no_ones_typing(
    reviewer: Client, run: Run
) -> None:
    send(reviewer, run, whole(form_of(page(reviewer, run, "state/?raw=1")), draft="mine"), "keep")
    other_edit(run, draft="theirs", count=9, added="by another")
    assert run.update("review", state_data={"sent": {"$delete": True}}).status_code == 200
    taken = form_of(page(reviewer, run, TAKE))
    wanted = {"draft": "mine", "count": 9, "added": "by another", "facts": {"a": 1, "b": 2}}
    assert json.loads(taken["raw"]) == wanted
    found = shown(reviewer, run, TAKE)
    assert (found.version, found.up_to, found.took, found.meets) == (1, 3, 3, "draft")
    send(reviewer, run, whole(taken, draft="mine, longer"), "keep")
    lines = shown(reviewer, run, "state/").pending
    assert lines is not None
    assert [line.name for line in lines.lines] == ["draft"]
    html = text(send(reviewer, run, whole(taken, draft="mine, longer")))
    assert "Your other changes" not in html
    assert 'name="choice-1"' not in html


def test_what_both_typed_alike_does_not_meet(reviewer: Client, run: Run) -> None:
    form = form_of(page(reviewer, run, "state/?raw=1"))
    send(reviewer, run, whole(form, draft="the same", count=4), "keep")
    other_edit(run, draft="the same", count=5)
    assert shown(reviewer, run, TAKE).meets == "count"


def test_what_no_page_could_say_of_a_key_is_named_and_left(reviewer: Client) -> None:
    run = with_reducers({"count": 1, "draft": "Dear"}, count="increment")
    form = form_of(page(reviewer, run, "state/?raw=1"))
    send(reviewer, run, whole(form, draft="mine"), "keep")
    change = {"count": {"$replace": "many"}, "draft": {"$replace": "theirs"}}
    assert run.update("a", state_data=change).status_code == 200
    assert shown(reviewer, run, TAKE).meets == "count, draft"
    taken = form_of(page(reviewer, run, TAKE))
    assert json.loads(taken["raw"]) == {"count": 1, "draft": "mine"}


@pytest.mark.parametrize("raw", [True, False])
def test_what_another_page_replaced_knowingly_is_kept_beside_it_once(
    reviewer: Client, run: Run, *, raw: bool
) -> None:
    path = "state/?raw=1" if raw else "state/"
    form = form_of(page(reviewer, run, path))
    form = whole(form, draft="here") if raw else typed(form, draft="here")
    kept(reviewer, run, form)
    there = form_of(page(reviewer, run, "state/"))
    assert there[f"value-{field_of(there, 'draft')}"] == "here"
    kept(reviewer, run, typed(there, draft="there"))
    for _each in range(2):
        assert beside(reviewer, run, form, "here").status_code == 200
    lines = shown(reviewer, run, "state/").pending
    assert lines is not None
    assert [line.rows[0].after for line in (*lines.lines, *lines.others)] == ["there", "here"]


def beside(client: Client, run: Run, form: Form, text: str) -> Any:
    """What a page sends that sees something else in the place of what was typed in it."""
    place = {"place": "0:draft", "mine": form.mine.get("0:draft", 0)}
    operation = {"op": "beside", "kind": "text", "text": text, **place}
    numbers = {"version": int(form["version"]), "seen_seq": int(form["seq"])}
    sent = {"execution": form["execution"], "operations": [operation], **numbers}
    return client.patch(url(run, "state/draft/"), sent, content_type="application/json")


def test_nothing_is_kept_beside_what_is_applied_or_discarded_by_now(
    reviewer: Client, run: Run
) -> None:
    form = typed(form_of(page(reviewer, run, "state/")), draft="here")
    answer = beside(reviewer, run, form, "here")
    assert (answer.status_code, answer.json()["seq"]) == (200, 0)
    assert not PendingEdit.objects.exists()
