"""Converts ``EMAIL_URL`` to Django's settings of mail."""

from typing import Any, Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email

EXAMPLE: Final = "smtp+tls://user:password@host:587?from=ctxadmin@example.org"
_PORTS: Final = {"smtp": 25, "smtp+tls": 587, "smtps": 465}


def parse(url: str) -> dict[str, Any]:
    """Returns Django's settings; ImproperlyConfigured names only the part that is wrong.

    ``smtp`` is plain, ``smtp+tls`` starts TLS, ``smtps`` is TLS from the first byte, ``console``
    writes mail to the log of the process, for trials.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _refused("cannot be read; in the password write %2F for /, %40 for @") from None
    if parts.scheme != "console" and parts.scheme not in _PORTS:
        raise _refused("must start with smtp+tls://, smtps://, smtp:// or console://")
    sender = _sender(parts)
    if parts.scheme == "console":
        return {
            "EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend",
            "DEFAULT_FROM_EMAIL": sender,
        }
    if not parts.hostname:
        raise _refused("names no host")
    if parts.path not in ("", "/") or parts.fragment:
        raise _refused("has something after the host; only ?from= is allowed there")
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": port or _PORTS[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "DEFAULT_FROM_EMAIL": sender,
    }


def _sender(parts: SplitResult) -> str:
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    sender = options.pop("from", "")
    if options:
        raise _refused(f"has the unknown option {sorted(options)[0]!r}; only ?from= is allowed")
    try:
        validate_email(sender)
    except ValidationError:
        raise _refused(
            "has no complete email address in ?from="
            if sender
            else "needs ?from= with the sender of emails"
        ) from None
    return sender


def _refused(why: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"EMAIL_URL {why}. For example: {EXAMPLE}")
