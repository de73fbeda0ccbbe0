"""One maintenance run: archives, erases and thins as the policies say."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, Protocol

from django.db import DatabaseError, connection
from django.db.models import F, Q
from django.db.models.functions import Now

from checkpoints.domain.retention import RetentionPolicy
from checkpoints.live_copy.erasure import drop_erased
from checkpoints.maintenance import thinning
from checkpoints.maintenance.lock import MaintenanceLease, last_run
from checkpoints.maintenance.retention_policies import policy_of
from checkpoints.models import Execution, PendingEdit
from conversations.lifecycle import archival, erasure
from conversations.models import Conversation
from ctxadmin.accounts.models import Workspace
from ctxadmin.accounts.services import ended_tokens, remove_ended_tokens, system_actor
from ctxadmin.accounts.sessions import ended_sessions
from ctxadmin.audit.anchors import anchor_heads
from ctxadmin.http.models import KeptAnswer
from ctxadmin.identity.actor import Actor
from ctxadmin.lib import clock
from ctxadmin.lib.errors import ContextError, InvalidState, NotFound

# After so long a silence, or if the last run lies ahead, the clock may have jumped: then a run only
# looks, and the next one works. A monthly timer is not that silent.
LONGEST_SILENCE: Final = timedelta(days=40)
_KEPT_FOR: Final = timedelta(hours=24)  # answers to calls with an Idempotency-Key (rest.md)
_EDITS_KEPT_FOR: Final = timedelta(days=30)  # what was typed into a state and never applied
_PAGE: Final = 200
_REASON: Final = "retention"


class RemoveOld(Protocol):
    """Removes the old records of an app as of a moment, or only counts them."""

    def __call__(self, now: datetime, *, remove: bool) -> int: ...


_records: Final[dict[str, RemoveOld]] = {}


def register_records(name: str, remove_old: RemoveOld) -> None:
    """Registers a named function that removes old records of an app above, in each run."""
    _records[name] = remove_old


class MaintenancePart(StrEnum):
    """The parts to which a run can be limited."""

    ARCHIVE = "archive"
    ERASE = "erase"
    THIN = "thin"
    TOKENS = "tokens"
    ANSWERS = "answers"
    SESSIONS = "sessions"
    EDITS = "edits"
    RECORDS = "records"


@dataclass(slots=True)
class MaintenanceFigures:
    """What was done in a workspace, or would be; ``freed`` are bytes of messages and state."""

    archived: int = 0
    erased: int = 0
    thinned: int = 0
    freed: int = 0
    tokens: int = 0


@dataclass(slots=True)
class MaintenanceReport:
    """The result of a run.

    ``failed`` counts failures, ``only_looked`` is the reason for a dry run.
    """

    workspaces: dict[str, MaintenanceFigures] = field(default_factory=dict)
    answers: int = 0
    sessions: int = 0
    edits: int = 0
    records: dict[str, int] = field(default_factory=dict)
    failed: int = 0
    only_looked: str = ""


@dataclass(frozen=True, slots=True)
class MaintenanceScope:
    """The scope of a run; ``say`` receives every step as a line of text."""

    parts: frozenset[MaintenancePart]
    workspaces: Sequence[Workspace]
    dry_run: bool
    say: Callable[[str], object]


def maintain(
    wanted: MaintenanceScope, holding: MaintenanceLease | None = None
) -> MaintenanceReport:
    """Runs maintenance, one conversation after the other, each in its own transactions.

    A stopped run leaves nothing half done; the next one continues. A failure for one conversation
    is reported, counted and left to the next run. A dry run needs no ``holding``.
    """
    run = _Run(wanted, holding, MaintenanceReport())
    if not wanted.dry_run:
        run.report.only_looked = _why_only_look()
    for workspace in wanted.workspaces:
        run.report.workspaces[workspace.slug] = MaintenanceFigures()
        _of_workspace(run, workspace)
    if not run.only_looks:
        drop_erased()
    if MaintenancePart.ANSWERS in wanted.parts:
        run.report.answers = _answers(run)
    if MaintenancePart.SESSIONS in wanted.parts:
        run.report.sessions = _sessions(run)
    if MaintenancePart.EDITS in wanted.parts:
        run.report.edits = _edits(run)
    if MaintenancePart.RECORDS in wanted.parts:
        for name, remove_old in _records.items():
            run.report.records[name] = remove_old(clock.now(), remove=not run.only_looks)
    if not run.only_looks:
        anchor_heads(everything=True)
    return run.report


@dataclass(frozen=True, slots=True)
class _Run:
    wanted: MaintenanceScope
    holding: MaintenanceLease | None
    report: MaintenanceReport

    @property
    def only_looks(self) -> bool:
        return self.wanted.dry_run or bool(self.report.only_looked)

    def alive(self) -> None:
        if self.holding is not None:
            self.holding.renew()

    def step(self, what: str, workspace: str, name: str, do: Callable[[], str]) -> None:
        """Handles one conversation; ``do`` returns the text to report, "" for nothing."""
        self.alive()
        try:
            result = do()
        except (NotFound, InvalidState):  # erased or written to since it was listed
            return
        except (ContextError, DatabaseError) as error:
            self.report.failed += 1
            self.wanted.say(f"{workspace}  {name}  {what} failed: {error}")
            if not connection.in_atomic_block:
                connection.close_if_unusable_or_obsolete()
            return
        if result:
            self.wanted.say(f"{workspace}  {name}  {result}")


def _why_only_look() -> str:
    last = last_run()
    if last is None:
        return ""
    silence = clock.now() - last[0]
    if timedelta(hours=-1) <= silence <= LONGEST_SILENCE:
        return ""
    return f"The last run ended at {clock.iso(last[0])}: the clock may have jumped."


def _of_workspace(run: _Run, workspace: Workspace) -> None:
    actor = system_actor(workspace, "maintain")
    policy = policy_of(workspace.key).policy
    now, parts = clock.now(), run.wanted.parts
    if MaintenancePart.ARCHIVE in parts and policy.archive_after_days is not None:
        _archive(run, workspace, actor, now - timedelta(days=policy.archive_after_days))
    if MaintenancePart.ERASE in parts and policy.erase_after_days is not None:
        _erase(run, workspace, actor, now - timedelta(days=policy.erase_after_days))
    if MaintenancePart.THIN in parts and policy.keep_last is not None:
        _thin(run, workspace, actor, policy)
    if MaintenancePart.TOKENS in parts and policy.remove_tokens_after_days is not None:
        _tokens(run, workspace, actor, now - timedelta(days=policy.remove_tokens_after_days))


def _archive(run: _Run, workspace: Workspace, actor: Actor, since: datetime) -> None:
    figures = run.report.workspaces[workspace.slug]
    for head in archival.inactive_conversations(workspace.key, archived=False, since=since):

        def do(name: str = head.public_id) -> str:
            if not run.only_looks:
                archival.archive(actor, name, reason=_REASON, unchanged_since=since)
            figures.archived += 1
            return "archived"

        run.step("archiving", workspace.slug, head.public_id, do)


def _erase(run: _Run, workspace: Workspace, actor: Actor, since: datetime) -> None:
    figures = run.report.workspaces[workspace.slug]
    for head in archival.inactive_conversations(workspace.key, archived=True, since=since):

        def do(head: Conversation = head) -> str:
            size = head.stored_bytes
            if not run.only_looks:
                erasure.erase(actor, head.public_id, reason=_REASON, archived_since=since)
            figures.erased += 1
            figures.freed += size
            return f"erased  {size} bytes"

        run.step("erasing", workspace.slug, head.public_id, do)


def _thin(run: _Run, workspace: Workspace, actor: Actor, policy: RetentionPolicy) -> None:
    figures = run.report.workspaces[workspace.slug]
    for row, name in _long_executions(workspace, policy.keep_last or 0):

        def do(row: Execution = row, name: str = name) -> str:
            if run.only_looks:
                done = thinning.preview_thinning(row, policy)
            else:
                done = thinning.thin(actor, name, row, policy, alive=run.alive)
            figures.thinned += done.versions
            figures.freed += done.freed
            return f"{done.versions} versions thinned  {done.freed} bytes" if done.versions else ""

        run.step("thinning", workspace.slug, name, do)


def _long_executions(workspace: Workspace, keep_last: int) -> Iterator[tuple[Execution, str]]:
    """Returns the executions that have more versions with state than any policy keeps."""
    rows = Execution.objects.filter(
        workspace=workspace.key, version__gte=F("thinned_count") + keep_last
    )
    rows = rows.order_by("conversation", "number")
    rows = rows.defer("decided", "marking", "reducers")
    after = Q()
    while part := list(rows.filter(after)[:_PAGE]):
        heads = Conversation.objects.filter(key__in={row.conversation for row in part})
        names = dict(heads.values_list("key", "public_id"))
        yield from ((row, names[row.conversation]) for row in part if row.conversation in names)
        key, number = part[-1].conversation, part[-1].number
        after = Q(conversation__gt=key) | Q(conversation=key, number__gt=number)


def _tokens(run: _Run, workspace: Workspace, actor: Actor, before: datetime) -> None:
    figures = run.report.workspaces[workspace.slug]
    if run.only_looks:
        figures.tokens = ended_tokens(workspace.key, before).count()
    else:
        figures.tokens = remove_ended_tokens(actor, before)


def _answers(run: _Run) -> int:
    """Deletes idempotent answers that are too old for repeats."""
    rows = KeptAnswer.objects.filter(created_at__lt=Now() - _KEPT_FOR)
    if run.only_looks:
        return rows.count()
    count = 0
    while found := list(rows.values_list("stream", "call")[:_PAGE]):
        chosen = Q()
        for stream, call in found:
            chosen |= Q(stream=stream, call=call)
        # By their keys: a delete by time would lock what lies between in the index.
        count += KeptAnswer.objects.filter(chosen).delete()[0]
        run.alive()
    return count


def _sessions(run: _Run) -> int:
    """Deletes expired browser sessions."""
    rows = ended_sessions()
    return rows.count() if run.only_looks else rows.delete()[0]


def _edits(run: _Run) -> int:
    """Deletes drafts that nobody continued."""
    rows = PendingEdit.objects.filter(changed_at__lt=clock.now() - _EDITS_KEPT_FOR)
    return int(rows.count()) if run.only_looks else int(rows.delete()[0])
