"""Finds the messages that a node sees now at the same positions as before."""

from workflows.domain.context.prompt_context import Messages


def known_prefix(before: Messages, now: Messages) -> int:
    """Returns the number of messages at the front of both that are the same in every field.

    Messages that filters add have other indices each time, and end it. Source: semantics 2.16.
    """
    length = min(before.view.common_prefix_length(now.view), _logged_prefix(before))
    changed = (
        position
        for index in {*before.rewrites, *now.rewrites}
        if before.rewrites.get(index, ()) != now.rewrites.get(index, ())
        and (position := now.view.position_of(index)) is not None
    )
    return min(length, *changed, length)


def _logged_prefix(messages: Messages) -> int:
    """Returns how many messages precede the first one that a filter added."""
    if not messages.inserted:
        return len(messages.view)
    length = 0
    for start, stop in messages.view.runs:
        if stop > messages.logged:
            return length + max(messages.logged - start, 0)
        length += stop - start
    return length
