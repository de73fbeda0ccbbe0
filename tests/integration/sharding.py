"""Watches the statements of product code: does each name the conversation that it is about?"""

import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, Final

from django.apps import apps

from tests.servers import ROOT

# The column by which rows are spread over machines, by model; it stands first in each primary key.
COLUMNS: Final = {
    "conversations.Conversation": "key",
    "conversations.ConversationDetails": "conversation",
    "conversations.Feed": "workspace",
    "conversations.WorkspacePrices": "workspace",
    "conversations.FeedEntry": "workspace",
    "conversations.FeedMark": "conversation",
    "conversations.Message": "conversation",
    "conversations.Mark": "conversation",
    "conversations.Pin": "conversation",
    "conversations.Recall": "conversation",
    "conversations.UnsettledCall": "conversation",
    "conversations.Revision": "conversation",
    "conversations.Move": "conversation",
    "checkpoints.Execution": "conversation",
    "checkpoints.ExecutionDetails": "conversation",
    "checkpoints.Checkpoint": "conversation",
    "checkpoints.CheckpointDetails": "conversation",
    "checkpoints.TaskWrites": "conversation",
    "checkpoints.Usage": "conversation",
    "checkpoints.UndroppedCopy": "conversation",
    "checkpoints.Label": "conversation",
    "checkpoints.Claim": "conversation",
    "conversations.Comment": "conversation",
    "notifications.Delivery": "stream",
    "bulk.BulkItem": "conversation",
    "search.SearchDocument": "workspace",
    "search.SearchMark": "conversation",
    "search.SearchProgress": "workspace",
    "checkpoints.StateKey": "conversation",
    "checkpoints.StateValue": "conversation",
    "checkpoints.PendingEdit": "conversation",
    "audit.AuditEntry": "stream",
    "audit.AuditReason": "stream",
    "audit.AuditHead": "stream",
    "audit.AuditAnchoredHead": "stream",
    "web.KeptAnswer": "stream",
}
# Functions that ask without naming one conversation by its key, and why they may.
_BY_ID: Final = "by workspace and id, which are unique together: a look-up index leads to the key"
_PAGE: Final = "a page of a list: each machine has an index for its part, the parts are merged"
_TARGET: Final = "by whom it is told and id: each machine has an index by target"
_SUMS: Final = "sums of a workspace for people to look at: each machine adds up its part"
_LARGEST: Final = "the first ones of a workspace: each machine sorts its part, the parts are merged"
_COMMAND: Final = "a command in the background, which may ask all machines"
_MIGRATION: Final = "a migration asks all machines, whoever runs its statements"
_ERASED: Final = "answers of calls that made it stand with the workspace or the source of the fork"
EXCEPTIONS: Final = {
    "ctxadmin.storage.database.mysql.schema_editor.ResumingSchemaEditor.execute": _MIGRATION,
    "ctxadmin.http.endpoints.idempotency.delete_answers": _ERASED,
    "conversations.store.conversation.find_head": _BY_ID,
    "conversations.store.conversation.find_with_details": _BY_ID,
    "conversations.store.conversation.read_details": _PAGE,
    "conversations.writing.group_commit._look_up": _BY_ID,
    "conversations.lifecycle.transfers._free_id": _BY_ID,
    "checkpoints.pages.executions.execution_pages._origin_url": _BY_ID,
    "checkpoints.contexts.what_if.named_executions": _BY_ID,
    "demo.seed._there": _BY_ID,
    "conversations.reading.queries.list_conversations": _PAGE,
    "conversations.reading.queries.largest_conversations": _LARGEST,
    "ctxadmin.audit.queries.find_entries": _PAGE,
    "conversations.workspace.feed._give_positions": _PAGE,
    "bulk.jobs.selected_heads": _PAGE,
    "bulk.jobs._named_heads": _BY_ID,
    "bulk.jobs.preview_job": _PAGE,
    "bulk.jobs.select_rest": _PAGE,
    "bulk.exports._lines": _PAGE,
    "bulk.exports.size_of": _SUMS,
    "bulk.facts.facts_of": _PAGE,
    "bulk.store.outcomes_of": _SUMS,
    "bulk.store.old_jobs": _COMMAND,
    "bulk.runner._next_items": _PAGE,
    "bulk.pages.job_page._rows": _PAGE,
    "bulk.pages.job_page.undo": _PAGE,
    "conversations.pages.audit_words.names_of_conversations": _BY_ID,
    "conversations.pages.audit_words.conversations_named": _PAGE,
    "bulk.api.views.BulkActionItems.get": _PAGE,
    "search.indexer.count_unindexed": _SUMS,
    "search.queries._narrowed": _PAGE,
    "search.store.remove_workspace": _COMMAND,
    "search.indexer._start_walk": _COMMAND,
    "search.indexer._walk": _COMMAND,
    "conversations.workspace.matching._with_text": _PAGE,
    "conversations.workspace.matching.count_matching": _SUMS,
    "checkpoints.pages.execution_queries.latest_conversations": _PAGE,
    "checkpoints.reading.waiting_reviews.waiting_page": _PAGE,
    "checkpoints.reading.waiting_reviews.queue_keys": _PAGE,
    "checkpoints.pages.decisions.review_queue.waiting": _PAGE,
    "checkpoints.pages.execution_queries.active_executions": _PAGE,
    "checkpoints.contexts.what_if.last_executions": _PAGE,
    "checkpoints.contexts.what_if.count_executions": _PAGE,
    "checkpoints.pages.execution_queries.executed_workflows": _SUMS,
    "checkpoints.statistics.run_counts.run_counts": _SUMS,
    "checkpoints.statistics.execution_plots.started_by_day": _SUMS,
    "checkpoints.statistics.execution_plots.waiting_counts": _SUMS,
    "checkpoints.statistics.usage_sums.usage_sums": _SUMS,
    "conversations.services.recalls.recalls_by_node": _SUMS,
    "conversations.services.recalls.recall_sums": _SUMS,
    "checkpoints.statistics.usage_costs.sums_by_model": _SUMS,
    "checkpoints.statistics.estimates._last_rows": _PAGE,
    "checkpoints.statistics.metrics.execution_metrics": _SUMS,
    "checkpoints.pages.execution_queries.storage_figures": _SUMS,
    "checkpoints.pages.executions.first_steps.read_first_steps": _PAGE,
    "notifications.queries.list_deliveries": _PAGE,
    "notifications.queries.news_of": _TARGET,
    "notifications.store.send_again": _TARGET,
    "notifications.queries.lost_mails": _TARGET,
    "notifications.metrics.delivery_metrics": _SUMS,
    "conversations.workspace.feed.remove_old": _COMMAND,
    "notifications.fan_out.enqueue_deliveries": _COMMAND,
    "notifications.store.take_due": _COMMAND,
    "notifications.store.old_deliveries": _COMMAND,
    "checkpoints.services.review_timeouts._overdue": _COMMAND,
    "checkpoints.maintenance.run._answers": _COMMAND,
    "checkpoints.maintenance.run._edits": _COMMAND,
    "checkpoints.maintenance.run._long_executions": _COMMAND,
    "conversations.lifecycle.archival.inactive_conversations": _COMMAND,
    "checkpoints.live_copy.erasure.drop_erased": _COMMAND,
    "checkpoints.maintenance.retention_store.forked_versions": _COMMAND,
    "ctxadmin.audit.verification._streams_by_page": _COMMAND,
    "ctxadmin.audit.verification._anchored_without_entries": _COMMAND,
    "ctxadmin.audit.anchor_chain.anchor_faults": _COMMAND,
    "ctxadmin.audit.chain.heads_digest": _COMMAND,
    "ctxadmin.audit.anchors._all_heads": _COMMAND,
    "ctxadmin.audit.anchors._heads_since": _COMMAND,
    "checkpoints.management.commands.verify.Command._verify_all": _COMMAND,
    "checkpoints.management.commands.verify.Command._verify_orphans": _COMMAND,
}
_BETWEEN: Final = re.compile(r";\s*(?=INSERT|UPDATE|DELETE|SELECT)")
# Alone, or as the first of several columns that are compared together, as Django does on MySQL.
_NAMED: Final = r'"{}"(, [^()=]*)?\)? (=|IN) '
_SHARED: Final = (
    "ctxadmin/storage/tables.py",
    "ctxadmin/storage/statement_batch.py",
)  # act for their callers

Execute = Callable[[str, Any, bool, dict[str, Any]], Any]
Watch = Callable[[Execute, str, Any, bool, dict[str, Any]], Any]


@cache
def _tables() -> dict[str, str]:
    return {apps.get_model(label)._meta.db_table: column for label, column in COLUMNS.items()}


@cache
def names_the_conversation(sql: str) -> bool:
    """True if every statement of the text is about one conversation, or about none at all."""
    return all(map(_names_it, _BETWEEN.split(sql)))


def _names_it(statement: str) -> bool:
    text = statement.replace("`", '"')
    asked = {table for table in _tables() if f'"{table}"' in text}
    if not asked or text.startswith(("CREATE", "ALTER", "DROP", "PRAGMA", "TRUNCATE")):
        return True
    before, _, where = text.partition(" WHERE ")
    if text.startswith("INSERT"):
        return all(f'"{_tables()[table]}"' in before for table in asked)
    columns = {_tables()[table] for table in asked}
    return any(re.search(_NAMED.format(column), where) for column in columns)


def watch(found: dict[str, str]) -> Watch:
    """A wrapper for statements that notes what product code asks beside the rule, by function."""

    def wrapped(
        execute: Execute, sql: str, params: Any, many: bool, context: dict[str, Any]
    ) -> Any:
        if not names_the_conversation(sql):
            function = _asking(sys._getframe(1))
            if function is not None and function not in EXCEPTIONS:
                found[function] = sql
        return execute(sql, params, many, context)

    return wrapped


def _asking(frame: FrameType | None) -> str | None:
    """The function of the product that asks; None if it is a test or a migration."""
    for path, name in _callers(frame):
        if path.parts[0] == "tests" or "migrations" in path.parts:
            return None
        if str(path) not in _SHARED:
            return f"{path.with_suffix('').as_posix().replace('/', '.')}.{name}"
    return None


def _callers(frame: FrameType | None) -> Iterator[tuple[Path, str]]:
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(ROOT) and ".venv" not in path.parts:
            yield path.relative_to(ROOT), frame.f_code.co_qualname
        frame = frame.f_back
