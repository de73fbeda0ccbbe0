"""Summarizes an operation on messages in a few words, for explanations."""

from collections.abc import Iterator, Sequence
from typing import Final

from conversations.domain.configs import Age, FilterConfig, OperationConfig, TruncateConfig
from ctxadmin.lib.sentence import say

_MOST_WORDS: Final = 3  # keywords that are named


def operation_summary(config: OperationConfig) -> str:
    """Returns a summary such as ``keep the last 8 messages``, with all parts that apply."""
    parts = list(_parts(config))
    words = parts[0]
    for part in parts[1:]:
        words = say("{first}, {then}", first=words, then=part)
    return words


def _parts(config: OperationConfig) -> Iterator[str]:
    match config.operation:
        case "truncate" if config.truncate:
            yield from _truncate(config.truncate)
        case "filter" if config.filter:
            yield from _filter(config.filter)
        case "insert" if config.insert:
            yield say("insert")
        case "replace" if config.replace:
            yield say("replace at position {n}", n=config.replace.index)
        case "budget" if config.budget:
            most, target = config.budget.max_tokens, config.budget.target_tokens
            yield say("over {most} tokens, cut to {target}", most=most, target=target)
        case "summarize" if config.summarize:
            yield say("summarize")
            if config.summarize.older_than:
                yield say("only older than {age}", age=_age(config.summarize.older_than))
        case _:
            keeps = config.clear is None or config.clear.keep_system_message
            yield say("clear all but system messages") if keeps else say("clear all messages")


def _truncate(config: TruncateConfig) -> Iterator[str]:
    if config.keep_first is not None:
        yield say("keep the first {n}", n=config.keep_first)
    if config.keep_last is not None:
        yield say("keep the last {n}", n=config.keep_last)
    if config.remove_first is not None:
        yield say("remove the first {n}", n=config.remove_first)
    if config.remove_last is not None:
        yield say("remove the last {n}", n=config.remove_last)
    if config.range is not None:
        start, last = config.range.start, config.range.end - 1
        yield say("keep positions {start} to {last}", start=start, last=last)
    if config.remove_ranges:
        yield say("remove some positions")


def _filter(config: FilterConfig) -> Iterator[str]:
    if config.roles:
        yield say("only {names}", names=_some(config.roles))
    if config.content_contains:
        yield say("only with {words}", words=_quoted(config.content_contains))
    if config.content_excludes:
        yield say("none with {words}", words=_quoted(config.content_excludes))
    yield from origin_words(config)


def origin_words(config: FilterConfig) -> Iterator[str]:
    """Returns a summary such as ``only of the tools search``, for the origin of messages."""
    if config.nodes:
        yield say("only of the nodes {names}", names=_some(config.nodes))
    if config.tools:
        yield say("only of the tools {names}", names=_some(config.tools))
    if config.metadata:
        yield say("only with the metadata {names}", names=_some(list(config.metadata)))
    if config.older_than:
        yield say("only older than {age}", age=_age(config.older_than))
    if config.newer_than:
        yield say("only newer than {age}", age=_age(config.newer_than))
    if config.larger_than is not None:
        yield say("only larger than {n} tokens", n=config.larger_than)
    if config.has:
        yield say("only with {words}", words=_some(config.has))


def _age(age: Age) -> str:
    if age.turns is not None:
        return say("{n} turns", n=age.turns)
    if age.messages is not None:
        return say("{n} messages", n=age.messages)
    return say("{n} min", n=age.minutes)


def _quoted(words: Sequence[str]) -> str:
    return _some([f"‘{word[:40]}’" for word in words])  # the summary stands in “ ”


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MOST_WORDS
    return ", ".join(names[:_MOST_WORDS]) + (f" +{more}" if more > 0 else "")
