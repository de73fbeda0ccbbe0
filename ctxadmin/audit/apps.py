"""The append-only audit as a Django app."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "ctxadmin.audit"
    label = "audit"

    def ready(self) -> None:
        from ctxadmin.audit.heads import HeadTable, register_heads
        from ctxadmin.audit.models import AuditHead

        register_heads(HeadTable(AuditHead, stream="stream", seq="seq", hash="hash"))
