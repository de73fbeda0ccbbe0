"""The secret of a webhook, made anew whenever it is needed."""

from django.conf import settings

from notifications.domain.signing import derived, name_of
from notifications.models import Webhook


def secret_of(hook: Webhook) -> str | None:
    """The secret; None if the server's key that it was made of is not known any more."""
    for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        if name_of(key) == hook.key_name:
            return derived(key, hook.public_id, hook.nonce)
    return None
