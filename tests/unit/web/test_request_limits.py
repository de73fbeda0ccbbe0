"""A caller with too many or too fast requests waits; others do not."""

from typing import Any

import pytest

from ctxadmin.http.requests import request_limits
from ctxadmin.http.requests.callers import KnownCallers
from ctxadmin.http.requests.early_responses import RefusedEarly
from ctxadmin.http.requests.request_limits import Kind, Limits, RequestLimits

NOW = 1000.0


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = NOW
        monkeypatch.setattr(request_limits, "monotonic", lambda: self.now)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def asked(token: str = "", *, address: str = "192.0.2.1") -> dict[str, Any]:
    headers = [(b"authorization", f"Bearer {token}".encode())] if token else []
    return {"path": "/api/v1/conversations", "headers": headers, "client": (address, 1)}


def limited(under_way: int = 0, a_second: int = 0, *, known: str = "") -> RequestLimits:
    callers = KnownCallers()
    for token in known:
        callers.store(f"Bearer {token}".encode(), ("token", token), NOW)
    kinds: tuple[Kind, ...] = ("token", "person", "address")
    return RequestLimits(callers, dict.fromkeys(kinds, Limits(under_way, a_second)))


def refusal(limits: RequestLimits, scope: dict[str, Any]) -> RefusedEarly:
    with pytest.raises(RefusedEarly) as refused:
        limits.admit(scope)
    return refused.value


def test_more_under_way_than_allowed_waits_until_one_is_answered() -> None:
    limits = limited(under_way=2, known="a")
    begun = [limits.admit(asked("a")) for _ in range(2)]
    found = refusal(limits, asked("a"))
    assert (found.status, found.code, found.retry_after) == (429, "rate_limited", 1)
    limits.finish(begun[0], asked("a"))
    limits.admit(asked("a"))


def test_more_in_a_second_than_allowed_waits_as_long_as_it_says(clock: Clock) -> None:
    limits = limited(a_second=2, known="a")
    for _ in range(11):  # what five seconds allow, and the one of now
        limits.finish(limits.admit(asked("a")), asked("a"))
    wait = refusal(limits, asked("a")).retry_after
    assert wait == 1
    clock.now += wait
    limits.admit(asked("a"))


def test_each_token_has_limits_of_its_own() -> None:
    limits = limited(under_way=1, known="ab")
    limits.admit(asked("a"))
    limits.admit(asked("b"))
    refusal(limits, asked("a"))


def test_tokens_that_no_one_gave_out_share_those_of_their_address() -> None:
    limits = limited(under_way=1)
    limits.admit(asked("one"))
    refusal(limits, asked("two"))
    limits.admit(asked("three", address="192.0.2.2"))


def test_the_addresses_of_an_ipv6_network_are_one_caller() -> None:
    limits = limited(under_way=1)
    limits.admit(asked(address="2001:db8::1"))
    refusal(limits, asked(address="2001:db8::2"))
    limits.admit(asked(address="2001:db8:0:1::1"))


def test_zero_is_no_limit() -> None:
    limits = limited()
    for _ in range(1000):
        limits.admit(asked("a"))


def test_idle_callers_are_forgotten_and_busy_ones_are_not(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_limits, "MOST_IDLE", 10)
    limits = limited(under_way=1, a_second=1)
    limits.admit(asked(address="192.0.2.255"))
    for number in range(100):
        clock.now += 1
        each = asked(address=f"192.0.2.{number}")
        limits.finish(limits.admit(each), each)
    assert len(limits._usages) <= 20
    refusal(limits, asked(address="192.0.2.255"))


def test_a_caller_is_known_for_minutes_only(clock: Clock) -> None:
    limits = limited(under_way=1, known="a")
    limits.admit(asked())
    limits.finish(limits.admit(asked("a")), asked("a"))
    clock.now += 301
    refusal(limits, asked("a"))
