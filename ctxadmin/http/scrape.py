"""``GET /metrics``: all metrics as text for Prometheus, for those with access."""

import platform
import secrets
from typing import Final

import django
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from rest_framework.exceptions import AuthenticationFailed

from ctxadmin import __version__
from ctxadmin.accounts.authentication import token_actor
from ctxadmin.http.problems import problem
from ctxadmin.identity.roles import Scope
from ctxadmin.telemetry import metrics
from ctxadmin.telemetry.processes import CountsCollector, WorkersCollector
from ctxadmin.telemetry.readings import DatabaseCollector

_LOOPBACK: Final = frozenset({"127.0.0.1", "::1"})
_FORWARDED: Final = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Real-IP", "Via")


class _BuildCollector(Collector):
    """The build information."""

    def collect(self) -> list[GaugeMetricFamily]:
        names = ("version", "python", "django")
        build = GaugeMetricFamily("ctxadmin_build_info", "Always 1", labels=names)
        build.add_metric([__version__, platform.python_version(), django.get_version()], 1)
        return [build]


def all_metrics() -> CollectorRegistry:
    """Returns the metrics counted here or by all workers, and those read on demand."""
    folder = settings.METRICS_FOLDER
    registry = CollectorRegistry()
    if folder is None:
        registry.register(metrics.REGISTRY)
    else:
        registry.register(CountsCollector(folder))
    for collector in (WorkersCollector(folder), DatabaseCollector(), _BuildCollector()):
        registry.register(collector)
    return registry


REGISTRY: Final = all_metrics()


@require_safe
def metrics_view(request: HttpRequest) -> HttpResponse:
    """Returns the metrics as text; they contain no ids of callers and no content."""
    if not _may_read(request):
        detail = "Metrics need the token CTXADMIN_METRICS_TOKEN or one with the scope admin."
        headers = {"WWW-Authenticate": 'Bearer realm="ctxadmin"'}
        return problem(401, "unauthenticated", detail, headers=headers)
    metrics.pull()
    return HttpResponse(generate_latest(REGISTRY), content_type=CONTENT_TYPE_LATEST)


def _may_read(request: HttpRequest) -> bool:
    """Returns whether a token, or without one a direct request from this machine, has access.

    Behind a proxy everyone has its address, so a request that seems to come through one, and a
    server configured to be behind TLS, need a token.
    """
    kind, _, secret = request.headers.get("Authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return _opens(secret.strip(), request)
    through = settings.HTTPS_ONLY or any(name in request.headers for name in _FORWARDED)
    return not kind and not through and request.META.get("REMOTE_ADDR") in _LOOPBACK


def _opens(secret: str, request: HttpRequest) -> bool:
    own = settings.METRICS_TOKEN
    if own and secrets.compare_digest(secret.encode(), own.encode()):
        return True
    try:
        return Scope.ADMIN in token_actor(secret, request).scopes
    except AuthenticationFailed:
        return False
