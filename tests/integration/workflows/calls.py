"""Calls on the drafts of workflows, in short, and what they left on record."""

from typing import Any

from ctxadmin.audit.models import AuditEntry
from tests.openapi import CheckedApi


def put(api: CheckedApi, slug: str, body: Any, version: Any) -> Any:
    return api.put(f"/workflows/{slug}/draft", {"document": body, "expected_version": version})


def patch(api: CheckedApi, slug: str, changes: Any, version: Any) -> Any:
    return api.patch(f"/workflows/{slug}/draft", {"changes": changes, "expected_version": version})


def publish(api: CheckedApi, slug: str, version: int, **fields: Any) -> Any:
    return api.post(f"/workflows/{slug}/publish", {"expected_version": version, **fields})


def audit_of(slug: str) -> list[AuditEntry]:
    return list(AuditEntry.objects.filter(object_type="workflow", object_id=slug).order_by("seq"))
