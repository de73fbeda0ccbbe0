"""Leases of nodes: one holder at a time, and an expired lease binds nobody."""

from datetime import UTC, datetime, timedelta

import pytest

from checkpoints.domain import leases
from checkpoints.domain.leases import NONE, Lease, Leases
from ctxadmin.lib.errors import InvalidState, TooLarge

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def claim(
    given: Leases,
    *,
    node: str = "a",
    by: str = "one",
    lease: str | None = None,
    at: datetime = NOON,
) -> tuple[Leases, Lease]:
    return given.claim(node, MINUTE, at, holder=by, new=f"lease-{by}", lease=lease)


def test_a_claim_holds_for_its_time() -> None:
    _, lease = claim(NONE)
    assert lease == Lease("a", "lease-one", "one", NOON + MINUTE)
    assert lease.holds(NOON + MINUTE - timedelta(microseconds=1))
    assert not lease.holds(NOON + MINUTE)


def test_others_hear_who_holds_it_and_until_when() -> None:
    held, _ = claim(NONE)
    with pytest.raises(InvalidState, match="claimed by one until") as refused:
        claim(held, by="two")
    assert refused.value.extra() == {"held_by": "one", "until": "2026-01-31T12:01:00.000000Z"}


def test_another_node_is_free() -> None:
    held, _ = claim(NONE)
    both, _ = claim(held, node="b", by="two")
    assert set(both.by_node) == {"a", "b"}


def test_a_lease_that_ran_out_binds_no_one() -> None:
    held, _ = claim(NONE)
    later, lease = claim(held, by="two", at=NOON + MINUTE)
    assert lease.holder == "two"
    with pytest.raises(InvalidState, match="claimed by two"):
        later.require("a", "lease-one", NOON + MINUTE)


def test_who_was_slow_and_alone_may_continue() -> None:
    held, lease = claim(NONE)
    held.require("a", lease.lease, NOON + 5 * MINUTE)
    _, again = claim(held, lease=lease.lease, at=NOON + 5 * MINUTE)
    assert again.until == NOON + 6 * MINUTE


def test_a_renewed_lease_keeps_its_name() -> None:
    held, lease = claim(NONE)
    _, renewed = claim(held, lease=lease.lease, at=NOON + MINUTE / 2)
    assert renewed.lease == lease.lease
    assert renewed.until == NOON + 1.5 * MINUTE


def test_while_one_holds_no_one_else_completes() -> None:
    held, lease = claim(NONE)
    held.require("a", lease.lease, NOON)
    with pytest.raises(InvalidState, match="claimed by one"):
        held.require("a", None, NOON)
    held.require("a", None, NOON + MINUTE)


def test_a_lease_of_what_was_completed_has_ended() -> None:
    held, lease = claim(NONE)
    done = held.without("a")
    with pytest.raises(InvalidState, match="has ended; claim it again"):
        done.require("a", lease.lease, NOON)
    with pytest.raises(InvalidState, match="has ended; claim it again"):
        claim(done, lease=lease.lease)


def test_a_release_frees_the_node_and_twice_is_once() -> None:
    held, lease = claim(NONE)
    free = held.release("a", lease.lease, NOON)
    assert free == NONE
    assert free.release("a", lease.lease, NOON) is free


def test_someone_elses_lease_is_not_released() -> None:
    held, _ = claim(NONE)
    with pytest.raises(InvalidState, match="claimed by one"):
        held.release("a", "lease-two", NOON)
    assert held.release("a", "lease-two", NOON + MINUTE) is held


def test_leases_that_ran_out_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "MOST", 2)
    held, _ = claim(claim(NONE)[0], node="b")
    with pytest.raises(TooLarge, match="at most 2 leases"):
        claim(held, node="c")
    later, _ = claim(held, node="c", at=NOON + MINUTE)
    assert set(later.by_node) == {"c"}


def test_what_is_stored_is_read_back() -> None:
    held, _ = claim(claim(NONE)[0], node="b", by="person:rita")
    assert Leases.load(held.dump()) == held
    assert NONE.dump() == b""
    assert Leases.load(b"") == NONE
