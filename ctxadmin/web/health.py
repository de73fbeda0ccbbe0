"""Whether the process lives and whether it can serve."""

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from ctxadmin.live import links


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """The process can serve: the database answers; 503 with the reason otherwise.

    Redis may be away: then everything is read from SQL, and ``live_copy`` says so.
    """
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        body = {"status": "unavailable", "database": type(error).__name__}
        return JsonResponse(body, status=503, headers={"Retry-After": "2"})
    mode = "embedded" if settings.EMBEDDED else "server"
    body = {"status": "ok", "database": connection.vendor, "mode": mode}
    return JsonResponse(body | {"live_copy": links.probe()})
