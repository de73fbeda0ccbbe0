"""Exports a workflow as a file, and records that in the audit."""

from ctxadmin.accounts.access_log import record_access
from ctxadmin.audit.record import AuditChange
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from workflows.domain.document.graph import Document
from workflows.reading import queries
from workflows.store.workflow import find_workflow


def export(actor: Actor, slug: str, which: str) -> Document:
    """Exports the draft or the version that a query string's ``version`` names.

    Raises NotFound, and ValidationFailed at ``?version``; then nothing is recorded.
    """
    row = find_workflow(actor.workspace, slug)
    document = queries.document_of(row, which, "version")
    taken = AuditChange(Action.WORKFLOW_EXPORT, "workflow", slug, detail={"version": which})
    record_access(actor, taken)
    return document
