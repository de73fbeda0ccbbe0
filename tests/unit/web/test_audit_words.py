"""The actions of the audit in words."""

from typing import Final

import pytest

from ctxadmin.http.audit.exports import csv_parts
from ctxadmin.identity.roles import Action
from ctxadmin.ui.audit.wording import ACTION_GROUPS, action_label

# Actions that need a right and are never recorded: they change nothing.
UNRECORDED: Final = frozenset({Action.READ, Action.PREVIEW, Action.AUDIT_READ})


def test_every_recorded_action_is_in_one_group_of_the_filter() -> None:
    named = [action for _, actions in ACTION_GROUPS for action in actions]
    assert len(named) == len(set(named))
    assert set(named) == set(Action) - UNRECORDED


@pytest.mark.parametrize("action", sorted(set(Action) - UNRECORDED))
def test_no_action_is_shown_by_its_name(action: Action) -> None:
    assert str(action_label(action.value)) != action.value


def test_an_empty_export_has_the_names_of_the_columns() -> None:
    (text,) = csv_parts([])
    assert text.startswith(b"at,actor_kind,actor_name")
