"""The messages between processes and the first ones to a page, in the shapes of the apps."""

import json

import pytest

from checkpoints.events.frames import ConversationChanged, ConversationState
from ctxadmin.realtime.messages import (
    Announced,
    HereNow,
    Message,
    Rights,
    WhoIsThere,
    pack,
    unpacked,
)
from ctxadmin.realtime.protocol import Activity, AnnouncedFrame, Gone, Person, Welcome, Who
from ctxadmin.realtime.topics import Topic
from workflows.events.frames import DraftChanged

CONVERSATION = Topic("conversations", 7, 1)
WORKFLOW = Topic("workflows", 8, 1)
WHO = Who(kind="person", id="1", name="Ada")
STATE = ConversationState(
    id="one", seq=3, execution="exec", version=2, status="PAUSED", revision=1, count=4
)
DRAFT = DraftChanged(id="flow", seq=2, what="x", who=WHO, draft_version=3, published_version=None)


def announced(topic: Topic, frame: AnnouncedFrame) -> Announced:
    return Announced(topic, frame, Activity(kind="any", id=frame.id, what="x", who=frame.who))


@pytest.mark.parametrize(
    "message",
    [
        announced(CONVERSATION, STATE.as_change().model_copy(update={"keys": ("a", "b")})),
        announced(CONVERSATION, Gone(id="one", who=WHO)),
        announced(WORKFLOW, DRAFT),
        Rights("token", "id"),
        HereNow(CONVERSATION, "process", (Person(socket="s", id="1", name="Ada"),)),
        WhoIsThere(WORKFLOW),
    ],
    ids=lambda message: type(message).__name__,
)
def test_another_process_reads_what_was_reported(message: Message) -> None:
    assert unpacked(json.loads(json.dumps(pack(message)))) == message


def test_what_is_reported_of_a_kind_that_no_app_has_is_left() -> None:
    assert unpacked(pack(announced(Topic("dreams", 1, 1), STATE.as_change()))) is None


def test_a_change_of_another_kind_is_no_message() -> None:
    with pytest.raises(ValueError, match="draft"):
        unpacked(pack(announced(WORKFLOW, STATE.as_change())))


def test_a_page_hears_at_first_all_of_where_the_object_stands() -> None:
    told = Welcome(socket="s", person="1", scopes=(), state=STATE).model_dump_json()
    assert json.loads(told)["state"] == {
        "kind": "conversation",
        "id": "one",
        "seq": 3,
        "execution": "exec",
        "version": 2,
        "status": "PAUSED",
        "revision": 1,
        "count": 4,
    }


def test_a_change_has_its_fields_in_the_order_of_the_protocol() -> None:
    told = STATE.as_change().model_dump_json()
    assert list(json.loads(told))[:5] == ["v", "type", "id", "seq", "what"]
    assert isinstance(STATE.as_change(), ConversationChanged)
