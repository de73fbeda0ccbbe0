"""Limits the concurrent requests and the request rate of a caller, in this process.

A caller known by a token or session is counted by it, everyone else by address, so that invented
tokens count together. A wait for a change is counted by its own limit once it holds no thread.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_network
from math import ceil
from time import monotonic
from typing import Final, Literal, TypeAlias

from django.conf import settings

from ctxadmin.http.requests.callers import UNAUTHENTICATED, KnownCallers, credential_of
from ctxadmin.http.requests.early_responses import RefusedEarly, Scope
from ctxadmin.lib.sentence import say
from ctxadmin.telemetry.facts import SCOPE_KEY, Facts

_BURST_SECONDS: Final = 5.0  # so many seconds' requests may come at once
MOST_IDLE: Final = 10_000  # callers that are remembered
_SOON: Final = 1  # seconds until some of the requests under way are answered

Kind: TypeAlias = Literal["token", "person", "address"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of callers of one kind; 0 is no limit."""

    under_way: int
    a_second: int


def limits_of_settings() -> Mapping[Kind, Limits]:
    return {
        "token": Limits(settings.MAX_TOKEN_REQUESTS, settings.MAX_TOKEN_RATE),
        "person": Limits(settings.MAX_PERSON_REQUESTS, settings.MAX_PERSON_RATE),
        "address": Limits(settings.MAX_ADDRESS_REQUESTS, settings.MAX_ADDRESS_RATE),
    }


class CallerUsage:
    """The usage of one caller; ``paid_until`` is when its rate has covered its requests so far."""

    __slots__ = ("is_of_address", "limits", "paid_until", "under_way")

    def __init__(self, limits: Limits, *, is_of_address: bool) -> None:
        self.limits = limits
        self.is_of_address = is_of_address
        self.under_way = 0
        self.paid_until = 0.0


class RequestLimits:
    """Counts the requests of this process; used on its event loop only."""

    def __init__(self, callers: KnownCallers, limits: Mapping[Kind, Limits]) -> None:
        self._callers = callers
        self._limits = limits
        self._usages: dict[tuple[Kind, str], CallerUsage] = {}
        self._most_usages = MOST_IDLE

    def admit(self, scope: Scope) -> CallerUsage:
        """Counts a request that begins, until ``finish`` at its end.

        Raises RefusedEarly with 429.
        """
        now = monotonic()
        caller = self._caller_at(scope, now)
        usage = self._usages.get(caller) or self._begin(caller, now)
        limits = usage.limits
        if limits.under_way and usage.under_way >= limits.under_way:
            text = say("Too many of your requests are in progress; try again in {n} s.", n=_SOON)
            raise RefusedEarly(429, "rate_limited", text, retry_after=_SOON)
        if limits.a_second:
            ahead = usage.paid_until - now
            if ahead > _BURST_SECONDS:
                wait = ceil(ahead - _BURST_SECONDS)
                text = say("Too many requests in a short time; try again in {n} s.", n=wait)
                raise RefusedEarly(429, "rate_limited", text, retry_after=wait)
            usage.paid_until = max(usage.paid_until, now) + 1 / limits.a_second
        usage.under_way += 1
        return usage

    def caller_of(self, scope: Scope) -> tuple[Kind, str]:
        """Returns who is counted for a request, as far as known: a token, a person or an
        address.
        """
        return self._caller_at(scope, monotonic())

    def finish(self, usage: CallerUsage, scope: Scope) -> None:
        """Counts a request as finished, because it holds no thread any longer."""
        usage.under_way -= 1
        facts: Facts | None = scope.get(SCOPE_KEY)
        if facts is not None and (usage.is_of_address or facts.status == UNAUTHENTICATED):
            self._callers.record(credential_of(scope), facts, monotonic())

    def _caller_at(self, scope: Scope, now: float) -> tuple[Kind, str]:
        caller = self._callers.find(credential_of(scope), now)
        return _by_address(scope.get("client")) if caller is None else caller

    def _begin(self, caller: tuple[Kind, str], now: float) -> CallerUsage:
        if len(self._usages) >= self._most_usages:
            self._usages = {
                each: usage
                for each, usage in self._usages.items()
                if usage.under_way or usage.paid_until > now
            }
            self._most_usages = max(MOST_IDLE, 2 * len(self._usages))
        usage = self._usages[caller] = CallerUsage(
            self._limits[caller[0]], is_of_address=caller[0] == "address"
        )
        return usage


def _by_address(client: tuple[str, int] | None) -> tuple[Kind, str]:
    return "address", _network_of(client[0]) if client else ""


@lru_cache(maxsize=MOST_IDLE)
def _network_of(address: str) -> str:
    """Returns the network of an IPv6 address, whose owner has all of it."""
    return str(ip_network(f"{address}/64", strict=False)) if ":" in address else address
