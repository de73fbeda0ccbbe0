"""Health: whether the process is alive and can serve."""

from collections.abc import Callable, Sequence

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.utils.module_loading import import_string
from django.views.decorators.http import require_safe

from ctxadmin.lib.finding import Finding

Probe = Callable[[], Sequence[Finding]]


def findings() -> list[Finding]:
    """Returns the findings of all ``READINESS_PROBES``, in order."""
    probes: list[Probe] = [import_string(path) for path in settings.READINESS_PROBES]
    return [found for probe in probes for found in probe()]


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Answers if the process is alive."""
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Answers whether the process can serve correctly, check by check; 503 if it cannot."""
    found = findings()
    levels = {each.level for each in found}
    body = {
        "status": "unavailable" if "error" in levels else "ok",
        "mode": "embedded" if settings.EMBEDDED else "server",
        "checks": [each.as_json() for each in found],
    }
    if "error" in levels:
        return JsonResponse(body, status=503, headers={"Retry-After": "2"})
    return JsonResponse(body)
