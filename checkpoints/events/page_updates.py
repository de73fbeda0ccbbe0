"""Announces changes of conversations to the pages that follow them, and reads their state."""

from collections.abc import Mapping, Sequence

from django.db.models import OuterRef, Subquery

from checkpoints.events.frames import ConversationChanged, ConversationState, shorten_keys
from checkpoints.models import Execution
from checkpoints.writing.version_events import VersionWritten
from conversations.models import Conversation
from conversations.store.conversation import find_head
from conversations.writing.announcements import ChangeNotice as Committed
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.ids import is_public_id
from ctxadmin.lib.sentence import say
from ctxadmin.realtime.announcements import announce, author_of
from ctxadmin.realtime.messages import Announced
from ctxadmin.realtime.protocol import Activity, AnnouncedFrame, Gone, Who
from ctxadmin.realtime.topics import Topic, TopicSource

KIND = "conversations"


def announce_changes(changes: Sequence[Committed]) -> None:
    """Announces committed changes from the writer's own data; reads nothing."""
    announce(*map(_announced, changes))


def _announced(change: Committed) -> Announced:
    head, author = change.head, author_of(change.actor)
    activity = Activity(
        kind="conversation",
        id=head.public_id,
        what=change.action.value,
        status=head.status,
        who=author,
    )
    return Announced(Topic(KIND, head.key, head.workspace), _frame(change, author), activity)


def _frame(change: Committed, author: Who) -> AnnouncedFrame:
    head = change.head
    if change.action is Action.CONVERSATION_ERASE:
        return Gone(id=head.public_id, who=author)
    written = change.parts_of(VersionWritten)
    last = written[-1] if written else None
    keys, more = shorten_keys(key for part in written for key in part.changed_keys)
    return ConversationChanged(
        id=head.public_id,
        seq=change.after.seq,
        what=change.action.value,
        who=author,
        status=head.status,
        revision=head.current_revision,
        count=head.visible_count,
        execution=last.public_id if last else None,
        version=last.version if last else None,
        keys=keys,
        more_keys=more,
    )


def find(actor: Actor, public_id: str) -> tuple[int, ConversationState]:
    """Returns the key of a conversation of the actor's workspace, and its state."""
    head = find_head(actor.workspace, public_id)
    state = read([head.key]).get(head.key)
    if state is None:
        raise NotFound(say("The conversation was erased just now."))
    return head.key, state


def of_execution(key: int, execution: str, now: ConversationState) -> ConversationState:
    """Returns the state of one execution of a conversation; raises NotFound if it is of another."""
    if execution == now.execution:
        return now
    ended = None
    if is_public_id(execution):
        rows = Execution.objects.filter(conversation=key, public_id=execution)
        ended = rows.values_list("status", "version").first()
    if ended is None:
        raise NotFound(say("The conversation has no such execution."))
    status, version = ended
    return now.model_copy(update={"execution": execution, "status": status, "version": version})


def read(keys: Sequence[int]) -> Mapping[int, ConversationState]:
    """Returns the states of conversations, each as of one moment."""
    newest = Execution.objects.filter(conversation=OuterRef("key")).order_by("-number")
    rows = Conversation.objects.filter(key__in=keys).annotate(
        execution=Subquery(newest.values("public_id")[:1]),
        version=Subquery(newest.values("version")[:1]),
    )
    fields = ("public_id", "change_seq", "status", "current_revision", "visible_count")
    return {
        key: ConversationState(
            id=public_id,
            seq=seq,
            execution=execution,
            version=version or 0,
            status=status,
            revision=revision,
            count=count,
        )
        for key, public_id, seq, status, revision, count, execution, version in rows.values_list(
            "key", *fields, "execution", "version"
        )
    }


SOURCE = TopicSource(KIND, find, read, ConversationChanged)
