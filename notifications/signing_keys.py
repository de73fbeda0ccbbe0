"""The secret of a webhook, derived again on each use."""

from datetime import datetime

from django.conf import settings

from ctxadmin.lib import clock
from notifications.domain.signing import derive_secret, name_of
from notifications.models import Webhook


def secret_of(hook: Webhook) -> str | None:
    """Returns the secret; None if the server's key it was derived from is no longer known."""
    return _secret(hook, hook.key_name, hook.nonce)


def former_signs_until(hook: Webhook) -> datetime | None:
    """Returns until when the former secret also signs; None if it no longer does."""
    until = hook.former_until
    return until if until is not None and until > clock.now() else None


def former_secret_of(hook: Webhook) -> str | None:
    """Returns the former secret, while it still signs."""
    if former_signs_until(hook) is None:
        return None
    return _secret(hook, hook.former_key_name, hook.former_nonce)


def _secret(hook: Webhook, key_name: str, nonce: str) -> str | None:
    for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        if name_of(key) == key_name:
            return derive_secret(key, hook.public_id, nonce)
    return None
