"""The tables of conversations: head, message log, revisions of the view, feed."""

from conversations.models.conversation import (
    Comment,
    Conversation,
    ConversationDetails,
    ConversationQuerySet,
    WorkspacePrices,
)
from conversations.models.feed import Feed, FeedEntry, FeedMark
from conversations.models.log import Mark, Message, Pin, Recall, UnsettledCall
from conversations.models.revisions import Move, Revision

__all__ = [
    "Comment",
    "Conversation",
    "ConversationDetails",
    "ConversationQuerySet",
    "Feed",
    "FeedEntry",
    "FeedMark",
    "Mark",
    "Message",
    "Move",
    "Pin",
    "Recall",
    "Revision",
    "UnsettledCall",
    "WorkspacePrices",
]
