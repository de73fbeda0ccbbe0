"""What followers of committed changes of conversations receive."""

from collections.abc import Sequence
from contextlib import suppress

import pytest
from django.db import transaction

from checkpoints.domain.commands import SaveCheckpoint
from checkpoints.services import checkpoint_saves
from checkpoints.writing.version_events import VersionWritten
from conversations.domain.configs import read_operation
from conversations.services import use_cases
from conversations.writing import announcements
from conversations.writing.announcements import ChangeNotice
from ctxadmin.audit.models import AuditEntry
from tests.factories import assistant, conversation, drafts, engine, user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[ChangeNotice]:
    heard: list[ChangeNotice] = []
    followers: list[announcements.Follower] = [heard.extend]
    monkeypatch.setattr(announcements, "FOLLOWERS", followers)
    return heard


def _texts(change: ChangeNotice) -> Sequence[bytes] | None:
    return None if change.shown is None else [bytes(row.body) for row in change.shown]


def test_a_change_is_reported_after_its_commit_and_not_before(told: list[ChangeNotice]) -> None:
    conversation(public_id="c")
    told.clear()
    with transaction.atomic():
        use_cases.append(engine(), "c", drafts(user("hello")))
        assert not told
    assert len(told) == 1


def test_what_was_undone_is_never_reported(told: list[ChangeNotice]) -> None:
    conversation(user("hello"), public_id="c")
    told.clear()
    config = read_operation({"operation": "truncate", "truncate": {"keep_last": 0}})
    use_cases.apply_operation(engine(), "c", config, dry_run=True)
    assert not told


def test_the_marks_are_those_of_the_audit_and_join_to_a_chain(told: list[ChangeNotice]) -> None:
    head = conversation(user("hello"), public_id="c")
    use_cases.append(engine(), "c", drafts(user("again")))
    use_cases.append(engine(), "c", drafts(user("and again")))
    hashes = list(
        AuditEntry.objects.filter(stream=head.key).order_by("seq").values_list("seq", "hash")
    )
    assert [(change.after.seq, change.after.hash) for change in told] == hashes
    assert [change.before for change in told[1:]] == [change.after for change in told[:-1]]


def test_appended_messages_are_reported_as_those_behind_the_view(told: list[ChangeNotice]) -> None:
    conversation(user("hello"), public_id="c")
    use_cases.append(engine(), "c", drafts(user("how"), assistant("so")))
    shown = _texts(told[-1])
    assert shown is not None
    assert [b"how" in shown[0], b"so" in shown[1]] == [True, True]


@pytest.mark.parametrize("undo", [False, True])
def test_an_operation_and_a_rollback_tell_that_the_view_is_another(
    told: list[ChangeNotice], undo: bool
) -> None:
    conversation(user("hello"), assistant("so"), public_id="c")
    config = read_operation({"operation": "truncate", "truncate": {"keep_last": 1}})
    use_cases.apply_operation(engine(), "c", config)
    if undo:
        use_cases.rollback(engine(), "c", 0)
    assert told[-1].shown is None


def test_a_save_tells_what_its_version_wrote(told: list[ChangeNotice]) -> None:
    conversation(public_id="c")
    command = SaveCheckpoint(node_id="a", state_data={"x": 1}, messages=[user("hello")])
    checkpoint_saves.save(engine(), "c", "one", command)
    written = told[-1].parts_of(VersionWritten)
    names = {change.name for version in written for change in version.changes}
    assert written[0].is_new
    assert "x" in names
    assert len(_texts(told[-1]) or ()) == 1


def test_what_a_block_commits_is_reported_at_its_end_at_once_and_in_order(
    told: list[ChangeNotice],
) -> None:
    heads = [conversation(public_id=name) for name in ("one", "two")]
    told.clear()
    with announcements.announce_group():
        for head in heads:
            use_cases.append(engine(), head.public_id, drafts(user("news")))
        with suppress(ValueError), transaction.atomic():
            use_cases.append(engine(), "one", drafts(user("more")))
            raise ValueError("undone")
        assert told == []
    assert [change.head.public_id for change in told] == ["one", "two"]
    with announcements.announce_group():
        pass
    assert len(told) == 2


def test_a_block_that_fails_tells_what_it_had_committed(told: list[ChangeNotice]) -> None:
    conversation(public_id="one")
    told.clear()
    with suppress(ValueError), announcements.announce_group():
        use_cases.append(engine(), "one", drafts(user("news")))
        raise ValueError("later")
    assert len(told) == 1
