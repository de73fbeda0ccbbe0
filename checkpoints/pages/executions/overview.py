"""The first page: what needs review, runs, failed, and how much is stored."""

import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from checkpoints.domain.status import Status
from checkpoints.pages import execution_queries
from checkpoints.pages.execution_queries import ExecutionLine, StorageFigures
from checkpoints.pages.executions.first_steps import FirstSteps, are_listed, read_first_steps
from checkpoints.pages.executions.overview_plots import ExecutionPlots, execution_plots
from conversations.models import Conversation
from conversations.reading.display_names import display_name, read_display_names
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib import clock
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.plots import Bar, share_bars

_MOST: Final = 6
_MOST_WAITING: Final = 20
_MANAGE: Final = ".venv/bin/python manage.py"


@dataclass(frozen=True, slots=True)
class StatusCount:
    """The number of current executions in one status."""

    status: str
    count: int


@dataclass(frozen=True, slots=True)
class OverviewPage:
    """The overview; ``database_bytes`` is None if the size is unknown.

    ``shares`` is the bar of what the stored bytes belong to. ``plots`` are those of the executions
    if they were asked for by ``?plots``, as without scripts, which load them later. ``steps`` are
    the first steps, ``steps_listed`` says whether they are shown beside what there is. ``twins``
    are the titles that several of the listed conversations have, which are shown with their ids.
    ``manage`` begins a command on the data of this server, from the project's folder;
    ``server_url`` is the server's address.
    """

    title: Text
    crumbs: Sequence[Crumb]
    waiting: Sequence[ExecutionLine]
    waiting_count: int
    running: Sequence[ExecutionLine]
    failed: Sequence[ExecutionLine]
    counts: Sequence[StatusCount]
    conversations: Sequence[Conversation]
    twins: Collection[str]
    kept: StorageFigures
    shares: Sequence[Bar]
    database_bytes: int | None
    plots: ExecutionPlots | None
    steps: FirstSteps
    steps_listed: bool
    may_approve: bool
    may_draw: bool
    may_import: bool
    may_token: bool
    may_preview: bool
    may_retain: bool
    manage: str
    server_url: str


@require_safe
@page
def overview(request: HttpRequest, actor: Actor) -> HttpResponse:
    at_work = execution_queries.active_executions(actor, _MOST_WAITING)
    kept = execution_queries.storage_figures(actor)
    steps = read_first_steps(actor.workspace)
    failed = execution_queries.failed_executions(actor, _MOST)
    latest = execution_queries.latest_conversations(actor, _MOST)
    read_display_names([*(line.head for line in (*at_work, *failed)), *latest])
    shown_statuses = (Status.PAUSED, Status.RUNNING, Status.FAILED, Status.COMPLETED)
    shown = OverviewPage(
        title=_("Overview"),
        crumbs=(),
        waiting=execution_queries.with_proposals(
            [line for line in at_work if line.status == Status.PAUSED]
        ),
        waiting_count=kept.by_status.get(Status.PAUSED, 0),
        running=[line for line in at_work if line.status == Status.RUNNING][:_MOST],
        failed=failed,
        counts=[StatusCount(each, kept.by_status.get(each, 0)) for each in shown_statuses],
        conversations=latest,
        twins=_twins([*(line.head for line in (*at_work, *failed)), *latest]),
        kept=kept,
        shares=share_bars(
            [
                ("messages", kept.message_bytes),
                ("versions", kept.checkpoint_bytes),
                ("states", kept.state_bytes),
            ]
        ),
        database_bytes=_database_bytes(),
        plots=execution_plots(actor.workspace, clock.now()) if "plots" in request.GET else None,
        steps=steps,
        steps_listed=are_listed(steps, request),
        may_approve=actor.may(Action.EXECUTION_APPROVE),
        may_draw=actor.may(Action.WORKFLOW_CHANGE),
        may_import=actor.may(Action.CONVERSATION_IMPORT),
        may_token=actor.may(Action.TOKEN_MANAGE),
        may_preview=actor.may(Action.PREVIEW),
        may_retain=actor.may(Action.RETENTION_SET),
        manage=_manage(actor),
        server_url=f"{request.scheme}://{request.get_host()}",
    )
    return show(request, "checkpoints/overview.html", shown)


def _twins(heads: Iterable[Conversation]) -> Collection[str]:
    """Returns the names that several conversations have."""
    names = Counter(display_name(head) for head in {head.key: head for head in heads}.values())
    return [name for name, count in names.items() if count > 1]


def _manage(actor: Actor) -> str:
    """Returns how a command begins; only admins learn where the server has its data."""
    if not (actor.may(Action.TOKEN_MANAGE) and settings.EMBEDDED and settings.DATA_DIR_IS_CHOSEN):
        return _MANAGE
    return f"CTXADMIN_DATA_DIR={shlex.quote(str(settings.DATA_DIR))} {_MANAGE}"


def _database_bytes() -> int | None:
    """Returns the size of the SQLite file; a server's size would cost a query over its catalog."""
    if connection.vendor != "sqlite":
        return None
    try:
        return Path(str(connection.settings_dict["NAME"])).stat().st_size
    except OSError:  # in memory
        return None
