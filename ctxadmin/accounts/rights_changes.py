"""Announces changes of the rights of people and tokens, after their commit."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from django.db import transaction
from django.db.models.signals import post_delete, post_save

from ctxadmin.accounts.models import EngineToken, Membership, User

# Called with the kind and the name of whose rights changed; see ``rights_changed``.
Listener: TypeAlias = Callable[[str, str], None]
LISTENERS: Final[list[Listener]] = []


def on_rights_changed(listener: Listener) -> None:
    """Registers ``listener``, called in its thread after each commit that may have changed
    rights.
    """
    LISTENERS.append(listener)


def rights_changed(kind: str, name: str) -> None:
    """Announces someone's rights when the transaction that changed them is committed.

    ``kind`` is ``person`` with the key of the user, ``token`` with its id, or ``session`` with the
    digest of its key.
    """
    for listener in LISTENERS:
        transaction.on_commit(_announcement(listener, kind, name), robust=True)


def _announcement(listener: Listener, kind: str, name: str) -> Callable[[], None]:
    def announce_change() -> None:  # Django asks for its name when it fails
        listener(kind, name)

    return announce_change


def watch_models() -> None:
    """Announces what is saved and deleted; callers of ``update()`` announce their changes."""
    for model, changed in (
        (Membership, _membership_changed),
        (User, _person_changed),
        (EngineToken, _token_changed),
    ):
        for signal in (post_save, post_delete):
            signal.connect(changed, sender=model, weak=False)


def _membership_changed(instance: Membership, **_: Any) -> None:
    rights_changed("person", str(instance.user_id))


def _person_changed(instance: User, update_fields: Any = None, **_: Any) -> None:
    if update_fields is None or set(update_fields) - {"last_login"}:
        rights_changed("person", str(instance.pk))


def _token_changed(instance: EngineToken, **_: Any) -> None:
    rights_changed("token", str(instance.pk))
