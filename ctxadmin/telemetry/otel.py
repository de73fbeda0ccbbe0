"""Whether OpenTelemetry's own variables name a collector; its packages read the others."""

from collections.abc import Mapping
from typing import Final

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


def names_collector(environ: Mapping[str, str]) -> bool:
    """Returns whether spans are to be sent anywhere."""
    return (
        environ.get("OTEL_SDK_DISABLED", "").strip().lower() != "true"
        and environ.get("OTEL_TRACES_EXPORTER") != "none"
        and any(map(environ.get, _ENDPOINTS))
    )
