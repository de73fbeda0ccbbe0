"""Messages, views and batches as a Django app."""

from django.apps import AppConfig


class ConversationsConfig(AppConfig):
    name = "conversations"

    def ready(self) -> None:
        """Registers the audit's comparison with the heads of conversations, and the feed of
        erased ones.
        """
        from conversations.lifecycle.erasure import on_erase
        from conversations.models import Conversation
        from conversations.store.conversation import stream_of_conversation
        from conversations.workspace import feed
        from ctxadmin.audit.heads import HeadTable, register_heads
        from ctxadmin.audit.streams import register_stream
        from ctxadmin.ui.audit.change_words import register_change_words
        from ctxadmin.ui.object_names import register_named_objects, register_object_names

        on_erase(feed.erase)
        register_heads(HeadTable(Conversation, hash="audit_hash"))
        register_stream("conversation", stream_of_conversation)
        register_change_words("conversation", "conversations.pages.audit_words.words_of_runs")
        register_object_names(
            "conversation", "conversations.pages.audit_words.names_of_conversations"
        )
        register_named_objects(
            "conversation", "conversations.pages.audit_words.conversations_named"
        )
