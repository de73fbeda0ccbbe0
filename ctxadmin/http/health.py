"""Whether the process lives and whether it can serve."""

from collections.abc import Callable, Sequence

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.utils.module_loading import import_string
from django.views.decorators.http import require_safe

from ctxadmin.lib.finding import Finding

Probe = Callable[[], Sequence[Finding]]


def findings() -> list[Finding]:
    """What all probes of ``READINESS_PROBES`` find, in their order."""
    probes: list[Probe] = [import_string(path) for path in settings.READINESS_PROBES]
    return [found for probe in probes for found in probe()]


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """The process can serve truthfully, check by check; 503 if it cannot."""
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
