"""Law: after any operations on a conversation and on Redis, the copy answers like SQL."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
import redis
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from pydantic import JsonValue

from checkpoints.domain.commands import SaveCheckpoint, StartExecution
from checkpoints.domain.move_commands import MoveExecution, RestoreCheckpoint
from checkpoints.live_copy import current
from checkpoints.live_copy.port import ALL_PARTS, NoLiveCopy
from checkpoints.live_copy.redis_copy import RedisLiveCopy
from checkpoints.reading.queries import find_moment, snapshot_bytes
from checkpoints.services import checkpoint_saves, execution_start, restores, status_changes
from conversations.domain.configs import read_operation
from conversations.services import use_cases
from conversations.writing import announcements
from conversations.writing.announcements import ChangeNotice
from ctxadmin.lib.errors import ContextError
from ctxadmin.storage.redis.address import read_address
from ctxadmin.storage.redis.link import Link
from tests.examples import examples
from tests.factories import conversation, drafts, engine, user

pytestmark = pytest.mark.django_db(transaction=True)
_names = count()
LARGE = "made large when it is saved"
KEYS = st.sampled_from(["x", "list", "large", "名", "whole"])
VALUES = st.one_of(
    st.integers(0, 9),
    st.lists(st.integers(0, 9), max_size=3),
    st.sampled_from(["", "中", LARGE, LARGE + "!"]),
    st.just({"$delete": True}),
)


def _sized(value: Any) -> Any:
    """Large texts stand in the copy in another way; drawn, they would be slow to show."""
    return value * 5_000 if isinstance(value, str) and value.startswith(LARGE) else value


def _with_other(content: Any, byte: int) -> bytes:
    """The content with one byte that is another one, or with one more where there is none."""
    if not content:
        return b"."
    place = byte % len(content)
    return bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])


class Copied(RuleBasedStateMachine):
    """One conversation whose every change may reach the copy at once, late, or never."""

    server: "redis.Redis"

    def __init__(self) -> None:
        super().__init__()
        self.server.flushdb()
        self.late: list[ChangeNotice] = []
        self.name = f"c{next(_names)}"
        self.key = conversation(user("hello"), public_id=self.name).key
        self.start()

    def do(self, what: Any, *arguments: Any, **named: Any) -> None:
        """What is refused changes nothing, and that has to hold as well."""
        try:
            what(engine(), self.name, *arguments, **named)
        except ContextError:
            return

    @rule()
    def start(self) -> None:
        self.do(execution_start.start, StartExecution(reducers={"list": "append"}))

    @rule(
        state=st.dictionaries(KEYS, VALUES, max_size=3),
        texts=st.lists(st.just("text"), max_size=2),
        status=st.sampled_from([None, None, None, "COMPLETED", "FAILED"]),
    )
    def save(self, state: dict[str, Any], texts: list[str], status: Any) -> None:
        command = SaveCheckpoint(
            node_id="a",
            state_data={key: _sized(value) for key, value in state.items()},
            messages=[user(text) for text in texts],
            executed_node_ids=["a", "b"] if status else None,
            status=status,
        )
        self.do(checkpoint_saves.save, f"s{next(_names)}", command)

    @rule(texts=st.lists(st.text(max_size=5).map(lambda text: text + "."), min_size=1, max_size=3))
    def append(self, texts: list[str]) -> None:
        self.do(use_cases.append, drafts(*map(user, texts)))

    @rule(last=st.integers(0, 3))
    def operate(self, last: int) -> None:
        config: JsonValue = {"operation": "truncate", "truncate": {"keep_last": last}}
        self.do(use_cases.apply_operation, read_operation(config))

    @rule(batch=st.integers(0, 2))
    def roll_back(self, batch: int) -> None:
        self.do(use_cases.rollback, batch)

    @rule(version=st.integers(0, 4))
    def restore(self, version: int) -> None:
        self.do(status_changes.pause, MoveExecution())
        self.do(
            checkpoint_saves.save, f"s{next(_names)}", SaveCheckpoint(node_id="a", state_data={})
        )
        self.do(restores.restore, version, RestoreCheckpoint())

    @rule(
        move=st.sampled_from(
            [
                status_changes.pause,
                status_changes.resume,
                status_changes.cancel,
                status_changes.approve,
            ]
        )
    )
    def move(self, move: Any) -> None:
        self.do(move, MoveExecution())

    @rule()
    def flush(self) -> None:
        self.server.flushdb()

    @rule(part=st.sampled_from(ALL_PARTS))
    def evict(self, part: Any) -> None:
        self.server.delete(part.key(self.key))

    @rule(place=st.integers(0, 7))
    def evict_any(self, place: int) -> None:
        names = sorted(self.server.scan_iter())
        if names:
            self.server.delete(names[place % len(names)])

    @rule(place=st.integers(0, 200), byte=st.integers(0, 200_000))
    def change_a_byte(self, place: int, byte: int) -> None:
        """By hand: of a field of a hash, or of a piece of a list."""
        names = sorted(self.server.scan_iter(_type="hash"))
        fields = [(name, field) for name in names for field in sorted(self.server.hkeys(name))]
        if place < len(fields):
            name, field = fields[place]
            self.server.hset(name, field, _with_other(self.server.hget(name, field), byte))
        elif lists := sorted(self.server.scan_iter(_type="list")):
            name = lists[place % len(lists)]
            self.server.rpush(name, _with_other(self.server.lpop(name), byte))

    @rule()
    def hear_late(self) -> None:
        """From now on changes are told later, in any order."""
        announcements.FOLLOWERS[:] = [self.late.extend]

    @rule(place=st.integers(0, 3))
    def hear(self, place: int) -> None:
        if self.late:
            current.follow_changes([self.late.pop(place % len(self.late))])

    @rule()
    def hear_at_once(self) -> None:
        announcements.FOLLOWERS[:] = [current.follow_changes]

    @rule()
    def read(self) -> None:
        """A read more than the law's own, which fills the copy."""
        self.snapshot()

    @invariant()
    def the_copy_says_what_sql_says(self) -> None:
        first, second = self.snapshot(), self.snapshot()
        used = current.copy()
        current.set_current(NoLiveCopy())
        in_sql = self.snapshot()
        current.set_current(used)
        assert first == second == in_sql

    def snapshot(self) -> bytes:
        return snapshot_bytes(find_moment(engine(), self.name))

    def teardown(self) -> None:
        announcements.FOLLOWERS[:] = [current.follow_changes]


class CopiedUnread(Copied):
    """As above, but the copy is read now and then only, so that it follows many changes."""

    @invariant()
    def the_copy_says_what_sql_says(self) -> None:
        return

    @rule()
    def read(self) -> None:
        super().the_copy_says_what_sql_says()

    def teardown(self) -> None:
        super().the_copy_says_what_sql_says()
        super().teardown()


@pytest.fixture
def server(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator["redis.Redis"]:
    monkeypatch.setattr(announcements, "FOLLOWERS", [current.follow_changes])
    link = Link(read_address(redis_url), timeout=10, pause=0.05)
    current.set_current(RedisLiveCopy(link))
    with redis.Redis.from_url(redis_url) as client:
        yield client
    current.set_current(NoLiveCopy())
    link.close()


@pytest.mark.parametrize("machine", [Copied, CopiedUnread])
def test_the_copy_and_sql_never_differ(server: "redis.Redis", machine: type[Copied]) -> None:
    machine.server = server
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples(20),
            stateful_step_count=20,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
