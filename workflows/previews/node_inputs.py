"""The state of a conversation as the input of nodes, and the messages of an input as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from typing import Final

import orjson
from pydantic import JsonValue

from conversations.domain.formats.formats import ProviderFormat, write
from conversations.domain.formats.formatted_view import FormattedView
from conversations.domain.formats.source import source_messages
from conversations.domain.memory import MemoryLog
from conversations.domain.message import Entry
from conversations.domain.operations import TokensOf
from conversations.domain.tokens import tokens_of_message
from conversations.domain.view import View
from conversations.models import Conversation
from conversations.reading import queries
from conversations.reading.provider_views import refuse_large, refuse_many
from conversations.store.conversation import find_revision, view_of
from conversations.store.sql_log import SqlLog
from conversations.writing.token_sums import TokenSums
from ctxadmin.lib.json_bytes import dumps
from workflows.domain.context.explain import StepNotice
from workflows.domain.context.prompt_context import Messages, NodeInput, PromptContext

FORMAT_STEP: Final = "format"


def node_input_of(
    head: Conversation,
    *,
    values: Mapping[str, JsonValue],
    history: Sequence[Mapping[str, JsonValue]] = (),
    metadata: Mapping[str, JsonValue],
    revision: int | None = None,
    visible_count: int | None = None,
) -> NodeInput:
    """Returns the whole state of a conversation as nodes see it, before any filter (semantics
    2.1).

    ``metadata`` is the execution's, which overlays the conversation's. The messages are the first
    ``visible_count`` of the view of ``revision``, by default all of the current one.
    """
    own: dict[str, JsonValue] = orjson.loads(bytes(head.details.metadata))
    context = PromptContext.of_state(
        values, history, conversation_metadata=own, execution_metadata=metadata
    )
    return NodeInput(context, messages_of(head, revision, visible_count))


def messages_of(
    head: Conversation, revision: int | None = None, visible_count: int | None = None
) -> Messages:
    """Returns the visible messages of a revision, by default the current one."""
    number = head.current_revision if revision is None else revision
    view = view_of(find_revision(head.key, number))
    if visible_count is not None:
        view = view.slice(0, visible_count)
    return Messages(SqlLog(head, head.log_count, number), view)


def token_sums(source: Conversation | MemoryLog) -> TokensOf:
    """Returns a function that sums the tokens of runs of a log."""
    return source.tokens if isinstance(source, MemoryLog) else TokenSums(source.key)


def shown_messages(source: Conversation | MemoryLog, messages: Messages) -> list[orjson.Fragment]:
    """Returns the messages as a node sees them, in view order, each as JSON.

    ``source`` has the logged ones. Those of a conversation look as in its list of messages; those
    of an in-memory log, and those that filters add, have ``index``, ``id``, ``visible``, ``tokens``
    and their own fields. A message whose texts were transformed has the transformed ones.
    """
    return [orjson.Fragment(text) for _, text in _messages_json(source, messages)]


def shown_list(source: Conversation | MemoryLog, messages: Messages) -> orjson.Fragment:
    """``shown_messages`` as the JSON of one list: of short ones that takes a quarter."""
    written = BytesIO()
    written.write(b"[")
    for place, (_, text) in enumerate(_messages_json(source, messages)):
        if place:
            written.write(b",")
        written.write(text)
    written.write(b"]")
    return orjson.Fragment(written.getvalue())


def messages_in_format(
    source: Conversation | MemoryLog, messages: Messages, name: ProviderFormat
) -> FormattedView:
    """Returns the messages as a node sees them in a provider's format; TooLarge if too many."""
    refuse_many(len(messages.view))
    shown = list(_messages_json(source, messages))
    refuse_large(sum(len(text) for _, text in shown))
    return write(source_messages(shown), name)


def notices_of(written: FormattedView) -> list[dict[str, JsonValue]]:
    """Returns the warnings of a format like those of filters, as of the step ``format``."""
    return [
        StepNotice(warning.code, warning.message, warning.indices, FORMAT_STEP).as_json()
        for warning in written.warnings
    ]


def _messages_json(
    source: Conversation | MemoryLog, messages: Messages
) -> Iterator[tuple[int, bytes]]:
    """Returns the messages in view order, by log index, as JSON."""
    logged = _logged(source, messages)
    for index in messages.view:
        inserted = messages.inserted_at(index)
        text = next(logged) if inserted is None else _entry_json(inserted)
        if index in messages.rewrites:
            text = dumps(messages.seen_message(index, orjson.loads(text)))
        yield index, text


def _logged(source: Conversation | MemoryLog, messages: Messages) -> Iterator[bytes]:
    """Those of the messages that are logged, in view order."""
    wanted = (index for index in messages.view if index < messages.logged)
    if isinstance(source, MemoryLog):
        return (_entry_json(source.entry(index)) for index in wanted)
    return iter(queries.visible_json(source.key, View.of_indices(wanted)))


def _entry_json(entry: Entry) -> bytes:
    own = {
        "index": entry.index,
        "id": entry.message_id,
        "visible": True,
        "tokens": tokens_of_message(entry.draft),
        "tokens_estimated": entry.draft.reported_tokens is None,
    }
    return dumps(own)[:-1] + b"," + entry.draft.body[1:]
