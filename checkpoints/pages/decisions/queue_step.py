"""The queue that a reader works through: carried along by forms, and where a decision leads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import Truncator

from checkpoints.reading.waiting_reviews import ExecutionKey, QueueFilter, next_in_queue, queue_keys
from conversations.models import Conversation
from conversations.reading.display_names import display_name
from ctxadmin.identity.actor import Actor

QUEUE_FIELD: Final = "queue"
_NAME: Final = 60


def queue_in(request: HttpRequest) -> QueueFilter | None:
    """Returns the queue that the reader works through; None if the page was opened by itself."""
    sent = request.POST if request.method == "POST" else request.GET
    return QueueFilter.of(sent, QUEUE_FIELD) if sent.get(QUEUE_FIELD) else None


def short_name(head: Conversation) -> str:
    """Returns the name of a conversation for a notice on the page of another one."""
    return Truncator(display_name(head)).chars(_NAME)


@dataclass(frozen=True, slots=True)
class QueueStep:
    """The queue of a page; ``queue`` is None if the page was opened by itself.

    ``before`` are the first reviews of the queue before a decision.
    """

    queue: QueueFilter | None
    before: Sequence[ExecutionKey] = ()

    @classmethod
    def of(cls, request: HttpRequest) -> Self:
        """Returns the queue of a page that decides nothing itself."""
        return cls(queue_in(request))

    @classmethod
    def before_decision(cls, actor: Actor, request: HttpRequest) -> Self:
        """Returns the queue as it is before a decision."""
        queue = queue_in(request)
        return cls(queue, queue_keys(actor, queue) if queue else ())

    @property
    def fields(self) -> Mapping[str, str]:
        """Returns the hidden fields of a form that stays in the queue."""
        return self.queue.card_fields if self.queue else {}

    @property
    def suffix(self) -> str:
        """Returns the query string of an address that stays in the queue; "" without one."""
        return f"?{self.queue.card_query}" if self.queue else ""

    def address(self, name: str, conversation_id: str) -> str:
        """Returns the address of a page of an execution that stays in the queue."""
        return reverse(name, args=[conversation_id]) + self.suffix

    def after_decision(self, actor: Actor, conversation_id: str, decided: ExecutionKey) -> str:
        """Returns the address of the next review, else of the queue's list.

        A page that was opened by itself leads back to the execution.
        """
        if self.queue is None:
            return self.address("checkpoints:detail", conversation_id)
        following = next_in_queue(actor, self.queue, self.before, decided)
        if following:
            return self.address("checkpoints:detail", following)
        return f"{reverse('reviews')}?{self.queue.list_query}"
