"""Sockets as a Django app: carries announcements, and listens to changes of rights."""

from django.apps import AppConfig


class RealtimeConfig(AppConfig):
    name = "ctxadmin.realtime"
    label = "sockets"

    def ready(self) -> None:
        from ctxadmin.accounts.rights_changes import on_rights_changed
        from ctxadmin.realtime import announcements, hubs

        announcements.register_carrier(hubs.deliver)
        on_rights_changed(announcements.announce_rights)
