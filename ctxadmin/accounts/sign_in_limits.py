"""Limits failed sign-ins of an address, whatever names it tries."""

from ipaddress import ip_network
from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.backends import AxesStandaloneBackend
from axes.exceptions import AxesBackendPermissionDenied
from axes.handlers.database import AxesDatabaseHandler
from axes.helpers import get_cool_off, get_failure_limit
from axes.models import AccessAttempt
from django.conf import settings
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


class ClosedSignIn(AxesStandaloneBackend):  # type: ignore[misc]
    """Refuses while signing in is closed, and marks the request."""

    def authenticate(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        try:
            super().authenticate(request, *args, **kwargs)
        except AxesBackendPermissionDenied:
            request.sign_in_closed = True  # type: ignore[attr-defined]
            raise


class SignInLimits(AxesDatabaseHandler):  # type: ignore[misc]
    """The limit per name and address, and one per address for all names together.

    A sign-in clears the failures of that name only, so a guesser with an account gains nothing by
    it. People behind one address share its limit.
    """

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        failures = int(super().get_failures(request, credentials))
        if _failed_too_often(request):
            return max(failures, int(get_failure_limit(request, credentials)))
        return failures


def show_closed_sign_in(request: HttpRequest, *_: Any, **__: Any) -> HttpResponse:
    """Returns the page of a closed sign-in, with the remaining seconds in ``Retry-After``."""
    answer = render(request, "registration/locked.html", status=429)
    if (cool_off := get_cool_off(request)) is not None:
        answer["Retry-After"] = str(int(cool_off.total_seconds()))
    return answer


def _failed_too_often(request: HttpRequest) -> bool:
    most = settings.SIGN_IN_FAILURES_PER_ADDRESS
    address = getattr(request, "axes_ip_address", None)
    if not most or not address:
        return False
    rows = AccessAttempt.objects.filter(attempt_time__gte=get_cool_off_threshold(request))
    if ":" not in address:
        found = rows.filter(ip_address=address).aggregate(sum=Sum("failures_since_start"))
        return int(found["sum"] or 0) >= most
    # Whoever has one address of IPv6 has all of its network.
    network = ip_network(f"{address}/64", strict=False)
    counts = rows.filter(ip_address__contains=":").values_list("ip_address", "failures_since_start")
    failures = sum(n for each, n in counts if ip_network(f"{each}/64", strict=False) == network)
    return bool(failures >= most)
