"""How forms are drawn: what belongs together is tied together."""

import re
from typing import Any

import pytest
from django import forms
from django.template import Context, Template
from pydantic import JsonValue

from tests.unit.web.form_models import FilterForm, OperationForm, PlanForm, WaitForm, sent
from tests.unit.web.html_seen import Seen

SCRIPT = "<script>alert(1)</script>"


def drawn(form: forms.BaseForm, template: str = "{% contract_form form %}") -> str:
    return Template("{% load form_parts %}" + template).render(Context({"form": form}))


def attributes(html: str, name: str) -> dict[str, str | None]:
    """Of the first input, select or text area with this name."""
    found = re.search(rf'<(?:input|select|textarea)[^>]*name="{name}"[^>]*>', html)
    assert found is not None
    return dict(Seen(found[0]).attributes)


class Plain(forms.Form):
    title = forms.CharField(help_text="Shown in lists.")
    colours = forms.MultipleChoiceField(
        choices=[("r", "Red"), ("g", "Green")], widget=forms.CheckboxSelectMultiple
    )


def test_an_error_is_tied_to_its_field() -> None:
    html = drawn(FilterForm(sent(rules__count="0", priority="x")))
    priority = attributes(html, "priority")
    assert priority["aria-invalid"] == "true"
    described = str(priority["aria-describedby"]).split()
    assert {"id_priority_helptext", "id_priority_error"} <= set(described)
    assert all(f'id="{name}"' in html for name in described)


def test_a_field_without_an_error_is_tied_to_its_help() -> None:
    html = drawn(FilterForm())
    assert attributes(html, "priority")["aria-describedby"] == "id_priority_helptext"
    assert "From 0 to 100." in html


def test_a_large_limit_is_written_out() -> None:
    assert "From 1 to 31,536,000." in drawn(WaitForm())


def test_the_summary_links_to_the_fields_and_names_the_row() -> None:
    form = FilterForm(sent(rules__count="1", rules__0__type="include", rules__0__pattern=""))
    form.is_valid()
    html = drawn(form)
    assert '<a href="#id_rules-0-pattern">Rule 1 › Pattern</a>' in html
    assert "Fix 1 field; nothing was saved." in html


def test_the_summary_leads_into_the_group_that_is_wrong() -> None:
    form = OperationForm(
        sent(operation="truncate", truncate__range__start="5", truncate__range__end="2")
    )
    form.is_valid()
    html = drawn(form)
    assert '<a href="#id_truncate-range-start">Truncate › Range</a>: Start must be below' in html
    assert "Fix 1 field; nothing was saved." in html


def test_a_form_without_errors_has_no_summary() -> None:
    assert 'role="alert"' not in drawn(FilterForm())


def test_every_id_is_there_once_and_every_label_has_its_field() -> None:
    data: JsonValue = {
        "rules": [{"type": "include", "pattern": "a"}, {"type": "exclude", "pattern": "b"}]
    }
    html = drawn(FilterForm(initial=data))
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'<label[^>]*for="([^"]+)"', html)) <= set(ids)


def test_rows_have_buttons_that_work_as_they_are() -> None:
    html = drawn(FilterForm(initial={"rules": [{"type": "include", "pattern": "a"}]}))
    for value in ("add:rules", "remove:rules:0", "up:rules:0", "down:rules:0"):
        assert re.search(rf'<button[^>]*type="submit"[^>]*name="_rows" value="{value}"', html)


def test_the_return_key_saves_and_does_not_move_a_row() -> None:
    first = re.search(r'<button[^>]*type="submit"[^>]*>', drawn(FilterForm()))
    assert first is not None
    assert "name=" not in first[0]


def test_panels_that_are_not_chosen_are_marked_and_still_there() -> None:
    html = drawn(OperationForm(initial={"operation": "truncate", "truncate": {"keep_last": 6}}))
    assert 'data-shown-by="operation" data-shown-for="truncate">' in html
    assert 'data-shown-by="operation" data-shown-for="insert" data-shown-not="">' in html


def test_only_what_must_be_filled_in_is_marked() -> None:
    html = drawn(OperationForm(initial={"operation": "truncate"}))
    marked = re.findall(r'for="([^"]+)">[^<]* <span class="required"', html)
    assert "id_operation" in marked
    assert "id_truncate-range-start" not in marked
    rows: JsonValue = {"rules": [{"type": "include", "pattern": "a"}]}
    assert '<span class="required"' in drawn(FilterForm(initial=rows))


def test_a_full_list_takes_no_more() -> None:
    rules: JsonValue = [{"type": "include", "pattern": "a"}] * 5
    assert re.search(
        r'value="add:rules"[^>]* disabled', drawn(FilterForm(initial={"rules": rules}))
    )


@pytest.mark.parametrize("form", [FilterForm, OperationForm, PlanForm])
def test_hostile_values_stay_values(form: Any) -> None:
    data = sent(**{name.replace("-", "__"): f'"{SCRIPT}' for name in form().fields})
    data["rules-count"] = data["then-count"] = data["insert-messages-count"] = "1"
    bound = form(data)
    bound.is_valid()
    assert "script" not in Seen(drawn(bound)).tags


def test_a_plain_django_form_is_drawn_the_same_way() -> None:
    form = Plain({"title": ""})
    html = drawn(form, "{% form_errors form %}{% field form.title %}{% field form.colours %}")
    assert attributes(html, "title")["aria-invalid"] == "true"
    assert "is-invalid" in str(attributes(html, "title")["class"])
    assert '<a href="#id_colours_0">' in html
    assert "<legend" in html


def test_a_label_may_be_hidden_but_is_there() -> None:
    html = drawn(Plain(), '{% field form.title hide_label=True label="Name" %}')
    assert re.search(r'class="form-label visually-hidden"[^>]*>Name', html)


def test_a_file_field_tells_its_errors() -> None:
    template = '{% file_field "file" "Chats" accept=".json" errors=errors %}'
    html = Template("{% load form_parts %}" + template).render(Context({"errors": ["Empty."]}))
    assert 'aria-invalid="true"' in html
    assert 'id="file-file-error"' in html
