"""The append-only audit as a Django app."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "ctxadmin.audit"
    label = "audit"
