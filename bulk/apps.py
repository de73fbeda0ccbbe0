"""Bulk actions as a Django app."""

from django.apps import AppConfig


class BulkConfig(AppConfig):
    name = "bulk"

    def ready(self) -> None:
        """Registers the removal of old jobs with maintenance."""
        from bulk.store import old_jobs
        from checkpoints.maintenance.run import register_records

        register_records("bulk jobs", old_jobs)
