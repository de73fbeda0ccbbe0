"""What a form shows and gets back is what it was made from."""

from typing import Any, cast

from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from ctxadmin.lib.contract import Contract
from ctxadmin.ui.forms import ContractForm
from tests.unit.web.form_models import Filter, FilterForm, Plan, PlanForm, Rule, shown


def model_of(form: ContractForm[Any]) -> Contract:
    assert form.is_valid(), form.errors
    return cast(Contract, form.model)


names = st.text(min_size=1, max_size=12).filter(lambda text: "\r" not in text)


rules = st.builds(
    Rule,
    type=st.sampled_from(["include", "exclude", "transform"]),
    pattern=names,
    target=st.sampled_from(["variables", "history", "metadata", "messages"]),
    condition=st.none() | names,
)


filters = st.builds(
    Filter,
    rules=st.lists(rules, max_size=5).map(tuple),
    default_behavior=st.sampled_from([None, "pass", "block"]),
    priority=st.integers(0, 100),
)


retries = st.fixed_dictionaries(
    {"kind": st.just("retry"), "times": st.integers(1, 9)},
    optional={"wait": st.floats(0, 1e9)},
)


skips = st.fixed_dictionaries({"kind": st.just("skip")}, optional={"reason": names})


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


plans = st.fixed_dictionaries(
    {"first": retries | skips},
    optional={
        "then": st.lists(retries | skips, max_size=3),
        "otherwise": retries | skips,
        "extra": st.dictionaries(st.text(max_size=3), values, max_size=3),
    },
)


@given(filters)
def test_showing_a_filter_and_sending_it_back_gives_the_same_filter(filter_: Filter) -> None:
    assert model_of(FilterForm(shown(FilterForm(initial=filter_)))) == filter_


@given(plans)
def test_showing_a_plan_and_sending_it_back_gives_the_same_plan(data: dict[str, Any]) -> None:
    plan = Plan.model_validate(data)
    assert model_of(PlanForm(shown(PlanForm(initial=plan)))) == plan


@given(st.dictionaries(st.sampled_from(sorted(PlanForm().fields)), st.text(max_size=8)))
def test_no_sent_form_breaks_the_form(data: dict[str, str]) -> None:
    sent_data = QueryDict(mutable=True)
    sent_data.update(data)
    form = PlanForm(sent_data)
    assert form.is_valid() == (not form.errors)
