"""Sockets as a Django app: it carries what is announced, and hears of changed rights."""

from typing import Any

from django.apps import AppConfig


class RealtimeConfig(AppConfig):
    name = "ctxadmin.realtime"
    label = "sockets"

    def ready(self) -> None:
        from django.db.models.signals import post_delete, post_save

        from ctxadmin.accounts.models import EngineToken, Membership, User
        from ctxadmin.realtime import announcing, hubs

        announcing.carry(hubs.carry)
        for model, told in (
            (Membership, _membership_changed),
            (User, _person_changed),
            (EngineToken, _token_changed),
        ):
            for signal in (post_save, post_delete):
                signal.connect(told, sender=model, weak=False)


def _membership_changed(instance: Any, **_: Any) -> None:
    _tell("person", str(instance.user_id))


def _person_changed(instance: Any, update_fields: Any = None, **_: Any) -> None:
    if update_fields is None or set(update_fields) - {"last_login"}:
        _tell("person", str(instance.pk))


def _token_changed(instance: Any, **_: Any) -> None:
    _tell("token", str(instance.pk))


def _tell(kind: str, name: str) -> None:
    from ctxadmin.realtime.announcing import rights_changed

    rights_changed(kind, name)
