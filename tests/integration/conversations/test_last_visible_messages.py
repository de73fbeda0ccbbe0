"""The last visible message of many conversations, in as many statements as of few."""

from typing import Any

import pytest
from pydantic import JsonValue

from conversations.domain.configs import read_operation
from conversations.models import Conversation, Revision
from conversations.services.use_cases import apply_operation
from conversations.store.last_visible_messages import last_visible_messages
from tests.factories import conversation, engine, user

pytestmark = pytest.mark.django_db


def sparse(name: str) -> Conversation:
    """A conversation with a view of so many runs that a change of it is stored as a patch."""
    conversation(*(user(f"{n} {'odd' if n % 2 else 'even'}") for n in range(300)), public_id=name)
    for words in ("odd", "298"):
        hide: JsonValue = {"operation": "filter", "filter": {"content_excludes": [words]}}
        apply_operation(engine(), name, read_operation(hide), reason="")
    head = Conversation.objects.get(public_id=name)
    assert Revision.objects.get(conversation=head.key, number=head.current_revision).patches
    return head


def test_views_that_are_stored_as_patches_are_read_together(
    django_assert_num_queries: Any,
) -> None:
    heads = [sparse(f"c{n}") for n in range(4)]
    for count in (1, 4):
        with django_assert_num_queries(2):
            found = last_visible_messages(heads[:count])
        assert found == {head.key: 296 for head in heads[:count]}


def test_a_damaged_view_is_left_out_and_takes_no_other_along() -> None:
    one, other = sparse("one"), sparse("other")
    first = Revision.objects.filter(conversation=one.key, number=one.current_revision - 1)
    assert first.update(opened=b"\xff") == 1
    assert last_visible_messages([one, other]) == {other.key: 296}
    assert first.delete()[0] == 1
    assert last_visible_messages([one, other]) == {other.key: 296}
