"""Each change of a view is reported with its author, whatever others did later."""

from dataclasses import replace

import pytest
from pydantic import JsonValue

from conversations.domain.configs import OperationConfig
from conversations.domain.message import MessageDraft
from conversations.reading.view_changes import ChangeCause, ReadView, changes_since
from conversations.services import use_cases
from conversations.services.use_cases import NewConversation
from conversations.store.conversation import find_head
from ctxadmin.identity.actor import Actor
from tests.factories import engine
from tests.unit.conversations.chats import calls, operation, result, user

pytestmark = pytest.mark.django_db


class Shared:
    """A conversation that two people change, read before they did."""

    def __init__(self, *drafts: MessageDraft) -> None:
        self.rita = replace(engine(), kind="person", name="rita")
        self.rosa = replace(engine(), kind="person", name="rosa")
        new = NewConversation(drafts=drafts)
        self.id = use_cases.create(self.rita, new).public_id
        self.read = self.as_read()

    def operate(self, actor: Actor, config: OperationConfig) -> None:
        use_cases.apply_operation(actor, self.id, config)

    def as_read(self) -> ReadView:
        head = find_head(self.rita.workspace, self.id)
        return ReadView(head.current_revision, head.visible_count, head.log_count)

    def causes(self) -> dict[tuple[str, int], ChangeCause]:
        """Who made each change since it was read, by its kind and the log index."""
        head = find_head(self.rita.workspace, self.id)
        found = changes_since(head, self.read, self.as_read())
        return {(change.kind, change.index): change.cause for change in found}


def _apart() -> Shared:
    """A call with its result behind another message, as it was read."""
    shared = Shared(user("a"), calls("c"), user("b"), user("c"))
    use_cases.append(shared.rita, shared.id, [result("c")])
    shared.read = shared.as_read()
    return shared


def _together(**fields: str) -> OperationConfig:
    """An operation that moves a result behind its call, and does nothing else."""
    return operation("truncate", {"remove_first": 0}, pairing="keep", **fields)


def test_a_moved_message_is_reported_with_who_moved_it_when_another_hides_something_later() -> None:
    shared = _apart()
    shared.operate(shared.rita, _together())
    shared.operate(shared.rosa, operation("truncate", {"remove_last": 1}))
    causes = shared.causes()
    assert (causes["moved", 4].author, causes["moved", 4].step) == ("person:rita", (0, 1))
    assert causes["hidden", 3].author == "person:rosa"


def test_a_moved_message_that_another_edits_later_is_reported_with_both() -> None:
    shared = _apart()
    shared.operate(shared.rita, _together())
    edit: JsonValue = {
        "index": 2,
        "message": {"role": "tool", "tool_call_id": "c", "content": "new"},
    }
    shared.operate(shared.rosa, operation("replace", edit))
    causes = shared.causes()
    assert causes["moved", 5].author == "person:rita"
    assert causes["edited", 5].author == "person:rosa"


def test_a_message_that_was_hidden_and_came_back_elsewhere_is_reported_with_who_brought_it() -> (
    None
):
    shared = _apart()
    shared.operate(shared.rita, operation("truncate", {"remove_last": 1}))
    shared.operate(shared.rosa, _together())
    shared.operate(shared.rita, operation("truncate", {"remove_first": 1}))
    assert shared.causes()["moved", 4].author == "person:rosa"


def test_a_message_that_a_rollback_moves_is_reported_with_who_rolled_back() -> None:
    shared = _apart()
    shared.operate(shared.rita, _together())
    shared.read = shared.as_read()
    use_cases.rollback(shared.rosa, shared.id, 0)
    (cause,) = shared.causes().values()
    assert (cause.author, cause.step) == ("person:rosa", (1, 0))
