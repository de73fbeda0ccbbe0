"""Notifications as a Django app."""

from django.apps import AppConfig


class NotificationsConfig(AppConfig):
    name = "notifications"

    def ready(self) -> None:
        """Registers deliveries for metrics, erasure and retention, and names of webhooks."""
        from checkpoints.maintenance.run import register_records
        from checkpoints.services.assignments import register_listener
        from conversations.lifecycle.erasure import on_erase
        from ctxadmin.telemetry.readings import register_reading
        from ctxadmin.ui.object_names import register_named_objects, register_object_names
        from notifications.assignment_notices import notify_assignee
        from notifications.metrics import delivery_metrics
        from notifications.store import erase, old_deliveries

        on_erase(erase)
        register_listener(notify_assignee)
        register_reading(delivery_metrics)
        register_records("deliveries", old_deliveries)
        register_object_names("webhook", "notifications.store.webhook_names")
        register_named_objects("webhook", "notifications.store.webhooks_named")
