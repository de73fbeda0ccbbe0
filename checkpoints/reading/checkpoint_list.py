"""The list of checkpoints: by id, namespace and metadata, with or without their states."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import orjson

from checkpoints.domain.details import NO_DETAILS, Details, DetailsFilter
from checkpoints.domain.usage import ModelUsage
from checkpoints.models import Checkpoint, Execution
from checkpoints.reading.queries import checkpoint_json, place_after, state_pieces
from checkpoints.store.details import read_details
from checkpoints.store.executions import (
    CHECKPOINTS,
    check_manifest,
    execution_at,
    find_current,
    find_execution,
    find_saved,
    find_saved_version,
)
from checkpoints.store.snapshots import snapshot_of
from checkpoints.store.task_writes import sizes_of_writes, writes_of
from checkpoints.store.usage import read_usage
from conversations.models import Conversation
from conversations.store.conversation import find_head
from ctxadmin.http.endpoints.pagination import Page, PageRequest, encode
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.lib.sentence import say

BLOCK: Final = 500  # versions that are looked at together
MOST_SCANNED: Final = 10_000  # by one call: their metadata are read and compared
ANY: Final = "any"
MOST_BYTES: Final = 16 * 1024 * 1024  # of a page with states, unless the first one has more


@dataclass(frozen=True, slots=True)
class CheckpointQuery:
    """Filters of the checkpoint list; ``before`` is a version or a checkpoint id.

    Deleted versions are included on request only. ``execution`` is the public id of an execution,
    None for the current one, ANY for the one in which ``checkpoint_id`` was saved.
    """

    checkpoint_id: str | None = None
    before: str | None = None
    deleted: bool = False
    details: DetailsFilter = field(default_factory=DetailsFilter)
    execution: str | None = None


@dataclass(frozen=True, slots=True)
class ListedCheckpoint:
    """A version with its details and reported usage."""

    row: Checkpoint
    details: Details
    usage: ModelUsage | None = None
    execution: str = ""

    def as_json(self) -> dict[str, object]:
        answer = checkpoint_json(self.row) | self.details.as_json()
        answer["execution"] = self.execution
        return answer if self.usage is None else answer | {"usage": self.usage.as_json()}


def checkpoints_page(
    actor: Actor,
    public_id: str,
    wanted: CheckpointQuery,
    request: PageRequest,
    *,
    include: Collection[str] = (),
) -> list[bytes]:
    """Yields a page of an execution's checkpoints as JSON, latest first.

    A page can have fewer results than requested and still be followed by another, so that no call
    reads more than MOST_SCANNED versions or answers with many more than MOST_BYTES bytes.
    """
    head = find_head(actor.workspace, public_id)
    row = _execution(head, wanted)
    below = place_after(request)
    page: Page[ListedCheckpoint] = Page((), None)
    if row is not None:
        if wanted.before is not None:
            below = min(below, _version_of(row, wanted.before))
        page = _find(row, wanted, below, request)
    return list(_pieces(head, row, page, include))


def _execution(head: Conversation, wanted: CheckpointQuery) -> Execution | None:
    """Returns the requested execution; raises NotFound if the conversation never had it."""
    if wanted.execution is None:
        return find_current(head.key)
    if wanted.execution != ANY:
        return find_execution(head.key, wanted.execution)
    if wanted.checkpoint_id is None:
        raise ValidationFailed.at("?execution", say("any needs the id of a checkpoint"))
    saved = find_saved(head.key, wanted.checkpoint_id)
    return None if saved is None else execution_at(head.key, saved.execution)


def _version_of(row: Execution, before: str) -> int:
    """Returns the version that ``before`` names; digits are a version number."""
    if before.isascii() and before.isdigit() and len(before) <= 9:
        return int(before)
    version = find_saved_version(row, before)
    if version is None:
        raise ValidationFailed.at("?before", say("this is no checkpoint of the current execution"))
    return version


def _find(
    row: Execution, wanted: CheckpointQuery, below: int, request: PageRequest
) -> Page[ListedCheckpoint]:
    if wanted.checkpoint_id is not None:
        saved = find_saved(row.conversation, wanted.checkpoint_id)
        fits = saved is not None and saved.execution == row.number and saved.version < below
        shown = (
            [saved] if saved is not None and fits and (wanted.deleted or not saved.deleted) else []
        )
        return Page(_matching(shown, wanted), None)
    size = request.limit + 1 if wanted.details.is_empty else max(request.limit + 1, BLOCK)
    where: dict[str, object] = {"conversation": row.conversation, "execution": row.number}
    if not wanted.deleted:
        where["deleted"] = False
    found: list[ListedCheckpoint] = []
    for _ in range(0, MOST_SCANNED, size):
        rows = CHECKPOINTS.find_last(
            where,
            "version",
            below=below,
            limit=size,
            without=("answer", "routing"),
        )
        rows = [check_manifest(each) for each in rows]
        found += _matching(rows, wanted)
        if len(found) > request.limit:
            items = found[: request.limit]
            return Page(items, encode((items[-1].row.version,)))
        if len(rows) < size:
            return Page(found, None)
        below = rows[-1].version
    return Page(found, encode((below,)))


def _matching(rows: Sequence[Checkpoint], wanted: CheckpointQuery) -> list[ListedCheckpoint]:
    details = read_details(rows)
    listed = (ListedCheckpoint(row, details.get(row.version, NO_DETAILS)) for row in rows)
    return [each for each in listed if wanted.details.matches(each.details)]


def _pieces(
    head: Conversation,
    row: Execution | None,
    page: Page[ListedCheckpoint],
    include: Collection[str],
) -> Iterator[bytes]:
    yield b'{"results":['
    size, following = 0, page.next
    writes: Mapping[str, Sequence[object]] = {}
    if "writes" in include:
        writes = _writes(head, page.items)
    usage = read_usage(each.row for each in page.items)
    for place, each in enumerate(page.items):
        if size > MOST_BYTES:
            following = encode((page.items[place - 1].row.version,))
            break
        listed = replace(
            each, usage=usage.get(each.row.version), execution=row.public_id if row else ""
        ).as_json()
        if "writes" in include:
            listed["writes"] = writes.get(each.row.checkpoint_id or "", [])
        item = dumps(listed)
        pieces = [item]
        if "state" in include and row is not None:
            pieces = [item[:-1], b',"state_data":', *_state(head, row, each.row), b"}"]
        size += sum(map(len, pieces))
        yield b"," if place else b""
        yield from pieces
    yield b'],"next":' + orjson.dumps(following) + b"}"


def _writes(
    head: Conversation, items: Sequence[ListedCheckpoint]
) -> Mapping[str, Sequence[object]]:
    """Returns the writes of as many checkpoints as a page can have, by their ids."""
    ids = [each.row.checkpoint_id for each in items if each.row.checkpoint_id]
    sizes, total = sizes_of_writes(head.key, ids), 0
    wanted: list[str] = []
    for each in ids:
        if total > MOST_BYTES:
            break
        wanted += [each] if each in sizes else []
        total += sizes.get(each, 0)
    return writes_of(head.key, wanted) if wanted else {}


def _state(head: Conversation, row: Execution, version: Checkpoint) -> Sequence[bytes]:
    """Returns the state of a version as JSON, null if it was thinned or deleted."""
    if version.thinned_at is not None:
        return [b"null"]
    return state_pieces(snapshot_of(head, row, version))
