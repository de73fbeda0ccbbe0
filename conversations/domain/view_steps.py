"""The steps of operations from a view to a view, before pairs and pins."""

from dataclasses import dataclass

from conversations.domain import runs as run_sets
from conversations.domain.configs import (
    ClearConfig,
    FilterConfig,
    InsertConfig,
    OperationConfig,
    ReplaceConfig,
    SummarizeConfig,
    TruncateConfig,
)
from conversations.domain.keywords import Keywords
from conversations.domain.log import Log
from conversations.domain.message import MessageDraft, tools_message
from conversations.domain.origin import find_by_origin, older_than
from conversations.domain.outcomes import find_system_messages
from conversations.domain.pins import kept_by_pins
from conversations.domain.runs import Runs
from conversations.domain.view import View
from ctxadmin.lib.errors import FieldProblem, OutOfRange
from ctxadmin.lib.sentence import say


@dataclass(frozen=True, slots=True)
class ViewStep:
    """A view that can show drafts, which count as logged from the log's length on.

    ``instead_of`` is the log index that the one draft replaces.
    """

    view: View
    drafts: tuple[MessageDraft, ...] = ()
    pointers: tuple[str, ...] = ()
    instead_of: int | None = None


def apply_operation(config: OperationConfig, view: View, log: Log) -> ViewStep:
    """What the one operation of ``config`` shows."""
    if config.truncate:
        return ViewStep(_protected(_truncated(config.truncate, view, log), config, view, log))
    if config.filter:
        return ViewStep(_protected(_filtered(config.filter, view, log), config, view, log))
    if config.insert:
        return _inserted(config.insert, view, log)
    if config.replace:
        return _replaced(config.replace, view, log)
    if config.summarize:
        return _summarized(config.summarize, view, log, includes=config.include_pinned)
    return _cleared(config.clear or ClearConfig(), view, log)


def _protected(after: View, config: OperationConfig, before: View, log: Log) -> View:
    """Returns the view with the tool descriptions that were visible before, each in its place."""
    if not config.protect_tools:
        return after
    kept = [(index, index + 1) for index in log.tool_descriptions() if index in before]
    return before.within(run_sets.union((*after.runs, *kept)))


def _truncated(config: TruncateConfig, view: View, log: Log) -> View:
    """Returns ``truncate``, with the visible system messages if they are to be kept."""
    after = truncate(config, view)
    if not config.keep_system:
        return after
    system = find_system_messages(view.indices_as_runs(), log)
    return view.within(run_sets.union((*after.runs, *system)))


def truncate(config: TruncateConfig, view: View) -> View:
    """Applies the options in their fixed order, regardless of system messages.

    Source: semantics 1.6.
    """
    head, tail = config.keep_first, config.keep_last
    if head is not None or tail is not None:
        first, last = view.slice(0, head or 0), len(view) - (tail or 0)
        view = first.concat(view.slice(max(last, len(first)), len(view)))
    if config.remove_first is not None:
        view = view.slice(config.remove_first, len(view))
    if config.remove_last is not None:
        view = view.slice(0, len(view) - config.remove_last)
    if config.range is not None:
        view = view.slice(config.range.start, config.range.end)
    if config.remove_ranges is not None:
        places = run_sets.union((each.start, each.end) for each in config.remove_ranges)
        stays = run_sets.difference(((0, len(view)),) if len(view) else (), places)
        view = View(run for start, stop in stays for run in view.slice(start, stop).runs)
    return view


def _filtered(config: FilterConfig, view: View, log: Log) -> View:
    kept = find_by_origin(config, view, log)
    if config.roles is not None:
        kept = log.with_roles(frozenset(config.roles), kept)
    contains, excludes = config.content_contains, config.content_excludes
    wanted = Keywords(contains) if contains else None
    unwanted = Keywords(excludes) if excludes else None
    if wanted or unwanted:
        kept = run_sets.of_indices(
            index
            for index, text in log.texts(kept)
            if (wanted is None or wanted(text)) and not (unwanted and unwanted(text))
        )
    return view.within(kept)


def _inserted(config: InsertConfig, view: View, log: Log) -> ViewStep:
    position = len(view) if config.position == -1 else config.position
    if position > len(view):
        raise _out_of_range("/insert/position", position, len(view))
    pointers = tuple(f"/insert/messages/{place}" for place in range(len(config.messages)))
    drafts = tuple(config.messages)
    first = len(log)
    after = view.insert(position, View(((first, first + len(drafts)),)))
    return ViewStep(after, drafts, pointers)


def _replaced(config: ReplaceConfig, view: View, log: Log) -> ViewStep:
    if config.index >= len(view):
        raise _out_of_range("/replace/index", config.index, len(view) - 1)
    pointer = "/replace/message"
    after = view.replace(config.index, len(log))
    replaced = view.index_at(config.index)
    return ViewStep(after, (config.message,), (pointer,), instead_of=replaced)


def _summarized(config: SummarizeConfig, view: View, log: Log, *, includes: bool) -> ViewStep:
    """Puts the message in the place of the first that it covers.

    Protected messages are not covered.
    """
    span = span_of(config, view, log)
    stays = run_sets.of_indices([] if includes else kept_by_pins(view, log))
    if config.keep_system:
        stays = run_sets.union((*stays, *find_system_messages(span.indices_as_runs(), log)))
    covered = span.without(stays)
    if not covered:
        place = "sources" if config.sources is not None else "range"
        place = "older_than" if config.older_than is not None else place
        message = say("there is no message to summarize")
        problem = FieldProblem(f"/summarize/{place}", message, "out_of_range")
        raise OutOfRange(message, problems=[problem])
    first = view.position_of(covered.index_at(0)) or 0
    rest = view.without(covered.indices_as_runs())
    after = rest.insert(first, View(((len(log), len(log) + 1),)))
    return ViewStep(after, (config.message,), ("/summarize/message",))


def span_of(config: SummarizeConfig, view: View, log: Log) -> View:
    """Returns what a summary may cover: of its span only the sources, if they are given."""
    span = view
    if config.range is not None:
        span = view.slice(config.range.start, config.range.end)
    elif config.older_than is not None:
        span = view.within(older_than(config.older_than, view, log))
    sources = config.source_runs
    if sources is None:
        return span
    if sources[-1][1] > log.logged_count():
        raise _out_of_range("/summarize/sources", sources[-1][1] - 1, log.logged_count() - 1)
    return span.within(sources)


def _out_of_range(pointer: str, position: int, most: int) -> OutOfRange:
    message = (
        say("position {position} is after the last one, {most}", position=position, most=most)
        if most >= 0
        else say("there is no visible message")
    )
    return OutOfRange(message, problems=[FieldProblem(pointer, message, "out_of_range")])


def _cleared(config: ClearConfig, view: View, log: Log) -> ViewStep:
    """Keeps the system messages or nothing, and exactly one tool description if there are tools."""
    kept: Runs = ()
    if config.keep_system_message:
        kept = find_system_messages(view.indices_as_runs(), log)
    descriptions = log.tool_descriptions()
    every = run_sets.of_indices(descriptions)
    kept = run_sets.difference(kept, every)
    shown = [
        (place, index) for index in descriptions if (place := view.position_of(index)) is not None
    ]
    if shown:
        last = max(shown)[1]
        return ViewStep(view.within(run_sets.union((*kept, (last, last + 1)))))
    after = view.within(kept)
    known = _logged_description(log, every)
    if known is not None:
        return ViewStep(after.appended(known, known + 1))
    text = log.tools()
    if not text:
        return ViewStep(after)
    return ViewStep(after.appended(len(log), len(log) + 1), (tools_message(text),), ("/clear",))


def _logged_description(log: Log, descriptions: Runs) -> int | None:
    """Returns the last tool description of the log that equals the current tools text."""
    text = log.tools()
    fitting = [index for index, logged in log.texts(descriptions) if not text or logged == text]
    return fitting[-1] if fitting else None
