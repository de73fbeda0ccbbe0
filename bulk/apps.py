"""Bulk actions as a Django app."""

from django.apps import AppConfig


class BulkConfig(AppConfig):
    name = "bulk"

    def ready(self) -> None:
        """Registers the removal of old jobs with maintenance, and jobs with the audit."""
        from bulk.pages.audit_origin import bulk_origins
        from bulk.store import old_jobs
        from checkpoints.maintenance.run import register_records
        from ctxadmin.ui.audit.origins import register_origins

        register_records("bulk jobs", old_jobs)
        register_origins(bulk_origins)
