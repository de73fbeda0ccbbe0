"""Notifications as a Django app."""

from django.apps import AppConfig


class NotificationsConfig(AppConfig):
    name = "notifications"

    def ready(self) -> None:
        """Have deliveries counted, and removed with their conversation or when they are old."""
        from checkpoints.services.assigning import on_assigned
        from checkpoints.services.maintaining import register_records
        from conversations.erasure import on_erase
        from ctxadmin.telemetry.readings import register_reading
        from notifications.assigning import tell_assignee
        from notifications.figures import delivery_figures
        from notifications.store import forget, old_deliveries

        on_erase(forget)
        on_assigned(tell_assignee)
        register_reading(delivery_figures)
        register_records("deliveries", old_deliveries)
