"""Reads one conversation in SQL: its head, its revisions, their views."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from itertools import islice
from operator import or_
from typing import Final, cast

from django.db.models import Exists, OuterRef, Q

from conversations.domain import revisions as rules
from conversations.domain.revisions import RevisionKind
from conversations.domain.runs import Run
from conversations.domain.view import View
from conversations.domain.view_patch import apply_patch
from conversations.models import Conversation, ConversationDetails, Message, Revision
from conversations.store.branch import Branch, split_at_fork
from conversations.store.damage import ALTERED, MISSING, damaged
from conversations.store.revision_sums import check_parent, check_revision
from ctxadmin.lib.errors import ContextError, NotFound
from ctxadmin.lib.ids import is_public_id
from ctxadmin.lib.json_bytes import is_object
from ctxadmin.lib.sentence import say
from ctxadmin.storage.tables import Table

HEADS: Final = Table(Conversation)
DETAILS: Final = Table(ConversationDetails)
REVISIONS: Final = Table(Revision)

_RANGES: Final = 40  # of revisions in one query
_BESIDE_HEAD: Final = """
(SELECT metadata FROM conversations_conversationdetails WHERE conversation = {key}),
(SELECT tools FROM conversations_conversationdetails WHERE conversation = {key})"""
_UNCOUNTED: Final = """
EXISTS (SELECT 1 FROM conversations_message AS message
 WHERE message.conversation = {key} AND message.`index` >= {log_count})"""


def find_head(workspace: int, public_id: str, *, lock: bool = False) -> Conversation:
    """Returns the head of a conversation; raises NotFound, also for one of another workspace."""
    head = None
    if is_public_id(public_id):
        head = HEADS.find({"workspace": workspace, "public_id": public_id}, lock=lock)
    if head is None:
        raise NotFound(say("There is no conversation {name}.", name=repr(public_id[:64])))
    return head


def stream_of_conversation(workspace: int, public_id: str) -> int | None:
    """Returns the stream of a conversation in the audit; None without such a conversation."""
    try:
        return find_head(workspace, public_id).key
    except NotFound:
        return None


def find_with_details(workspace: int, public_id: str, *, checked: bool = False) -> Conversation:
    """Returns ``find_head`` with its details, consistent by one statement; raises NotFound.

    ``checked``: Damaged if the log has a message that the head does not count.
    """
    found = None
    if is_public_id(public_id):
        where = {"workspace": workspace, "public_id": public_id}
        beside = f"{_BESIDE_HEAD}, {_UNCOUNTED}" if checked else _BESIDE_HEAD
        found = HEADS.find_with(where, beside, last_by="key")
    if found is None:
        raise NotFound(say("There is no conversation {name}.", name=repr(public_id[:64])))
    head, (metadata, tools, *uncounted) = found
    if any(uncounted):
        raise damaged(head.key, "conversation", head.public_id, ALTERED)
    head.details = ConversationDetails(conversation=head.key, metadata=metadata, tools=tools)
    return head


def read_details(heads: Sequence[Conversation]) -> list[Conversation]:
    """Returns the heads with their details, read together; without those erased meanwhile."""
    details = ConversationDetails.objects.in_bulk([head.key for head in heads])
    found = [head for head in heads if head.key in details]
    for head in found:
        head.details = details[head.key]
    return found


def metadata_of_head(head: Conversation) -> bytes:
    """Returns the metadata of a conversation; raises Damaged unless they are a JSON object."""
    data = bytes(head.details.metadata)
    if not is_object(data):
        raise damaged(head.key, "metadata", head.public_id, ALTERED)
    return data


def refuse_short_counts(conversation: int) -> None:
    """Raises Damaged if a head counts fewer messages or revisions than there are.

    A single statement checks it, so that a concurrent write is not taken for damage.
    """
    messages = Message.objects.filter(
        conversation=OuterRef("key"), index__gte=OuterRef("log_count")
    )
    later = Revision.objects.filter(
        conversation=OuterRef("key"), number__gte=OuterRef("revision_count")
    )
    heads = Conversation.objects.filter(Exists(messages) | Exists(later), key=conversation)
    head = heads.only("public_id").first()
    if head is not None:
        raise damaged(conversation, "conversation", head.public_id, ALTERED)


def refuse_damaged_current(conversation: int) -> None:
    """Raises Damaged unless the current revision of a conversation is what was written."""
    head = Conversation.objects.filter(key=conversation).only("current_revision").first()
    if head is not None:
        find_revision(conversation, head.current_revision)


def find_revision(conversation: int, number: int, *, with_view: bool = True) -> Revision:
    """Returns a revision by its number; raises NotFound without one.

    Without its view, the parts of the view are read on demand.
    """
    row = None
    if 0 <= number < 2**31:
        where = {"conversation": conversation, "number": number}
        row = REVISIONS.find(where, without=() if with_view else ("opened",))
    if row is None:
        is_known = Q(revision_count__gt=number) | Q(current_revision=number)
        if number >= 0 and Conversation.objects.filter(is_known, key=conversation).exists():
            raise damaged(conversation, "revision", number, MISSING)
        raise NotFound(say("There is no revision {n}.", n=number))
    return check_revision(row, with_view=with_view)


def view_of(row: Revision) -> View:
    """Returns the view of a revision: as it was opened, with later appends."""
    chain = [row]
    while chain[-1].patches:
        chain += _following(chain[-1], Revision.objects.filter(_ancestors(chain[-1])))
    return _patched(chain)


def intact_views(rows: Iterable[Revision]) -> Iterator[tuple[int, View]]:
    """Yields conversations with the view of a revision each, without those that are damaged.

    It reads the ancestors of all revisions together, in a few statements.
    """
    chains = {row.conversation: [row] for row in rows}
    while patched := {key: chain[-1] for key, chain in chains.items() if chain[-1].patches}:
        wanted: list[Q] = []
        for row in patched.values():
            with suppress(ContextError):
                wanted.append(_ancestors(row))
        found = defaultdict[int, list[Revision]](list)
        for ancestor in Revision.objects.filter(reduce(or_, wanted)) if wanted else ():
            found[ancestor.conversation].append(ancestor)
        for key, row in patched.items():
            try:
                chains[key] += _following(row, found[key])
            except ContextError:
                del chains[key]
    for key, chain in chains.items():
        with suppress(ContextError, ValueError):
            yield key, _patched(chain)


def _patched(chain: Sequence[Revision]) -> View:
    """Returns the view of the first revision of a chain; the last one is no patch."""
    view = View()
    for each in reversed(chain):
        opened = bytes(each.opened)
        view = apply_patch(view, opened) if each.patches else View.decode(opened)
        view = _grown(view, each)
    return view


def _ancestors(row: Revision) -> Q:
    """Returns the condition of the next ancestors that the view of a revision is patched from."""
    if row.parent is None or not 0 <= row.parent < row.number:  # nothing can be patched from it
        raise damaged(row.conversation, "revision", row.number, ALTERED)
    first = row.parent + 1 - row.patches
    return Q(conversation=row.conversation, number__gte=max(first, 0), number__lte=row.parent)


def _following(row: Revision, rows: Iterable[Revision]) -> list[Revision]:
    """Returns the next ancestors of a revision among some rows; at least one."""
    found: list[Revision] = []
    for ancestor in sorted(rows, key=lambda each: -each.number):
        if ancestor.number == (found[-1] if found else row).parent:
            found.append(check_revision(ancestor))
        if not ancestor.patches or len(found) == row.patches:
            break
    if not found:
        raise damaged(row.conversation, "revision", row.parent, MISSING)
    return found


def _grown(opened: View, row: Revision) -> View:
    return opened.concat(View.decode(bytes(row.grown))) if row.grown else opened


def has_grown(conversation: int, numbers: Sequence[int]) -> bool:
    """Returns whether messages were appended to one of some revisions since it was opened."""
    rows = Revision.objects.filter(conversation=conversation, number__in=numbers)
    return any(bytes(grown) for grown in rows.values_list("grown", flat=True))


def as_revision(row: Revision, view: View) -> rules.Revision:
    """Returns the row as the value of the rules."""
    return rules.Revision(
        id=row.number,
        parent=row.parent,
        number=row.batch,
        view=view,
        operation=cast(RevisionKind, row.operation),
        config=bytes(row.config) or None,
        boundary=row.boundary,
        author=row.author,
        reason=row.reason or None,
        created_at=row.created_at,
        visible_count=row.visible_count,
        tokens=row.tokens,
        log_length=row.log_length,
        branched_at=row.branched_at,
    )


def lineage(conversation: int, number: int) -> list[Revision]:
    """Returns the rows of a revision and its ancestors up to the root, without their views."""
    return _rows_in(conversation, Branch(conversation, number).ranges())


def path_between(conversation: int, before: int, after: int) -> dict[int, rules.Revision]:
    """Returns the revisions on the path between two, by number, to find what was edited on it.

    The fork of both branches is the root. Only those have their views of which a message was
    replaced on the path.
    """
    parting, path = split_at_fork(Branch(conversation, before), Branch(conversation, after))
    rows = _rows_in(conversation, reversed(path))
    edited = {row.parent for row in rows if row.operation == "replace" and row.number > parting}
    found = {
        row.number: as_revision(row, view_of(row) if row.number in edited else View())
        for row in rows
    }
    found[parting] = replace(found[parting], parent=None)
    return found


def _rows_in(conversation: int, ranges: Iterable[Run]) -> list[Revision]:
    """Returns the rows of descending ranges of numbers, in that order, without their views."""
    found: list[Revision] = []
    remaining = iter(ranges)
    while part := list(islice(remaining, _RANGES)):
        chosen = reduce(or_, (Q(number__gte=start, number__lt=stop) for start, stop in part))
        rows = Revision.objects.filter(chosen, conversation=conversation)
        found += map(check_parent, rows.defer("opened", "grown").order_by("-number"))
    return found
