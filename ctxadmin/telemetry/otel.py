"""OpenTelemetry's own variables, checked before its packages read them.

Those take a default for what they cannot read, or end with a traceback, and in our logs neither
the variable nor its value is told. Values are only quoted here where they can hold no secret.
"""

import math
import re
from collections.abc import MutableMapping
from typing import Final
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_COMPRESSIONS: Final = ("OTEL_EXPORTER_OTLP_COMPRESSION", "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION")
_TIMEOUTS: Final = ("OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT")
_PAIRS: Final = (
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    "OTEL_RESOURCE_ATTRIBUTES",
)
_SAMPLER: Final = "OTEL_TRACES_SAMPLER"
_SHARE: Final = "OTEL_TRACES_SAMPLER_ARG"
_SAMPLERS: Final = (
    "always_on",
    "always_off",
    "traceidratio",
    "parentbased_always_on",
    "parentbased_always_off",
    "parentbased_traceidratio",
)
_COUNTS: Final = (
    "OTEL_BSP_SCHEDULE_DELAY",
    "OTEL_BSP_EXPORT_TIMEOUT",
    "OTEL_BSP_MAX_QUEUE_SIZE",
    "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
)
_QUEUE: Final = ("OTEL_BSP_MAX_QUEUE_SIZE", 2048)  # and what OpenTelemetry takes without it
_PACKET: Final = ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512)
_PAIR: Final = re.compile(r"\s*[^\s=,]+\s*=[^,]*")


def names_collector(environ: MutableMapping[str, str]) -> bool:
    """Whether the variables name a collector; ImproperlyConfigured if one of them is wrong.

    Those that are empty are removed: by OpenTelemetry's rules they count as not set, but its
    packages stumble over some of them.
    """
    if (
        environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
        or environ.get("OTEL_TRACES_EXPORTER") == "none"
        or not any(map(environ.get, _ENDPOINTS))
    ):
        return False
    for name in [name for name in environ if name.startswith("OTEL_") and not environ[name]]:
        del environ[name]
    given = dict(environ)
    _check_way(given)
    _check_sampler(given)
    for name in _COUNTS:
        if name in given and not (_is_count(given[name]) and int(given[name])):
            raise _wrong(name, "a whole number from 1 on", given[name])
    _check_queue(given)
    return True


def _check_way(given: dict[str, str]) -> None:
    """Where the spans are sent, and how."""
    for name in _ENDPOINTS:
        if name in given and not _is_address(given[name]):
            raise _wrong(name, "an address like http://collector.example:4318")
    for name in _PROTOCOLS:
        if given.get(name, "http/protobuf") != "http/protobuf":
            raise ImproperlyConfigured(f"{name} must be http/protobuf; nothing else is spoken.")
    for name in _COMPRESSIONS:
        if given.get(name, "none").strip().lower() not in ("none", "gzip", "deflate"):
            raise _wrong(name, "none, gzip or deflate", given[name])
    for name in _TIMEOUTS:
        if name in given and not 0 < _number(given[name]) < math.inf:
            raise _wrong(name, "a number of seconds above 0", given[name])
    for name in _PAIRS:
        if not all(map(_PAIR.fullmatch, filter(str.strip, given.get(name, "").split(",")))):
            raise _wrong(name, "pairs like name=value, with commas between")


def _check_sampler(given: dict[str, str]) -> None:
    sampler = given.get(_SAMPLER, _SAMPLERS[0]).lower()
    if sampler not in _SAMPLERS:
        raise _wrong(_SAMPLER, f"one of {', '.join(_SAMPLERS)}", given[_SAMPLER])
    share = given.get(_SHARE, "")
    if sampler.endswith("traceidratio") and not 0 <= _number(share) <= 1:
        raise _wrong(_SHARE, f"a share from 0 to 1 with the sampler {sampler}", share)


def _check_queue(given: dict[str, str]) -> None:
    (queue, room), (packet, size) = _QUEUE, _PACKET
    if int(given.get(packet, size)) > int(given.get(queue, room)):
        raise ImproperlyConfigured(
            f"{queue} must be at least {packet}, which is {size} if it is not set."
        )


def _is_address(value: str) -> bool:
    try:
        parts = urlsplit(value)
        port = parts.port
    except ValueError:
        return False
    is_plain = value.isprintable() and " " not in value
    return parts.scheme in ("http", "https") and bool(parts.hostname) and port != 0 and is_plain


def _is_count(value: str) -> bool:
    return value.isascii() and value.isdigit() and len(value) < 10


def _number(value: str) -> float:
    """NaN, which is neither above nor below anything, if it is none."""
    try:
        return float(value)
    except ValueError:
        return math.nan


def _wrong(name: str, wanted: str, value: str | None = None) -> ImproperlyConfigured:
    instead = "" if value is None else f", not {value!r}"
    return ImproperlyConfigured(f"{name} must be {wanted}{instead}.")
