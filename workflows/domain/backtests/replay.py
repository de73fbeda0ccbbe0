"""Replays a conversation call by call: what each policy sends, and what of it is cached."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import orjson

from conversations.domain.budgets.fold import Fold, FoldStore
from conversations.domain.memory import MemoryLog
from conversations.domain.operations import tokens_before, tokens_of
from conversations.domain.pairing import is_valid_for_model
from conversations.domain.view import View
from ctxadmin.lib.errors import ContextError
from workflows.domain.backtests.policies import FULL, RECORDED, Policy, recorded_views
from workflows.domain.backtests.recorded import Recorded, log_upto
from workflows.domain.context.prompt_context import Messages, NodeInput, PromptContext
from workflows.domain.running.flow import common_prefix, counting


class Call(NamedTuple):
    """One call: ``cached`` of its ``sent`` tokens were at the front of the call before.

    ``lost`` tokens were sent by the call before, after the part that both have in common.
    ``unseen`` is the number of log messages that it does not see. ``split``: a provider would
    reject its messages. ``problem`` says why the policy could not run; then the call counts as one
    that sees nothing. Not ``is_reached``: the node would not be entered, and counts as if it were.
    """

    sent: int = 0
    cached: int = 0
    lost: int = 0
    messages: int = 0
    unseen: int = 0
    split: bool = False
    problem: str = ""
    is_reached: bool = True

    @property
    def fresh(self) -> int:
        return self.sent - self.cached


@dataclass(frozen=True, slots=True)
class CallOfAll:
    """One call by each policy; ``index`` is the log index of the message that it led to."""

    index: int
    node: str
    number: int
    by_policy: Sequence[Call]


class _Folds(FoldStore):
    """The last fold under each key: the next call has the same messages and some more."""

    def __init__(self) -> None:
        self._known: dict[Hashable, tuple[View, Fold]] = {}

    def find(self, key: Hashable, view: View) -> Fold | None:
        known = self._known.get(key)
        if known is None or known[0].common_prefix_length(view) != known[1].count:
            return None
        return known[1]

    def continued(self, fold: Fold) -> Fold:
        return fold

    def store(self, key: Hashable, view: View, fold: Fold) -> None:
        self._known[key] = (view, fold)


class GrowingLog(MemoryLog):
    """A log that keeps the folds over it while it grows."""

    def __init__(self, tools: str | None = None) -> None:
        super().__init__(tools=tools)
        self._folds = _Folds()

    def folds(self) -> FoldStore:
        return self._folds


class _Sent(NamedTuple):
    """What a call sent, at its time: the log grows afterward."""

    messages: Messages
    logged: int
    tokens: int

    def at_position(self, index: int) -> object:
        """Returns a value that is equal for two calls with the same message at a position."""
        rewrites = self.messages.rewrites.get(index, ())
        if index < self.logged:
            return index, rewrites
        return self.messages.inserted[index - self.logged].draft.body, rewrites

    def same_at_front(self, after: "_Sent") -> int:
        """Returns how many messages two calls have in common at the front.

        Inserted ones compare by text.
        """
        mine, theirs = self.messages, after.messages
        if not mine.inserted and not theirs.inserted:
            if not mine.rewrites and not theirs.rewrites:
                return mine.view.common_prefix_length(theirs.view)
            return min(common_prefix(mine, theirs), common_prefix(theirs, mine))
        length = 0
        for here, there in zip(mine.view, theirs.view, strict=False):
            if self.at_position(here) != after.at_position(there):
                break
            length += 1
        return length

    def unseen(self) -> int:
        """Returns how many messages of the log it did not send."""
        runs = self.messages.view.runs
        logged = self.logged
        seen = 0
        for start, stop in runs:
            if stop <= logged:
                seen += stop - start
            elif start < logged:
                seen += logged - start
        return logged - seen


@dataclass(slots=True)
class _Row:
    """A policy on its way through one conversation, with the previous call of each node."""

    policy: Policy
    before: dict[str, _Sent] = field(default_factory=dict)

    def call(self, log: MemoryLog, node_input: NodeInput, node: str, tool_tokens: int) -> Call:
        """Returns the next call, with all of ``log`` before it in its ``node_input``."""
        logged = len(log)
        try:
            seen = self.policy.see(node_input, logged)
        except ContextError as error:
            self.before.pop(node, None)
            return Call(unseen=logged, problem=error.detail)
        count = counting(seen, log.tokens) if seen.inserted or seen.rewrites else log.tokens
        sent = _Sent(seen, logged, tool_tokens + tokens_of(seen.view, count))
        former = self.before.get(node)
        self.before[node] = sent
        cached = lost = 0
        if former is not None:
            common = former.same_at_front(sent)
            cached = tool_tokens + tokens_before(seen.view, common, count)
            lost = former.tokens - cached
        split = bool(seen.view.runs) and not is_valid_for_model(seen.view, seen.log)
        return Call(
            sent.tokens,
            cached,
            lost,
            len(seen.view),
            sent.unseen(),
            split,
            is_reached=self.policy.reaches is None or self.policy.reaches(node_input),
        )


def replay(
    recorded: Recorded, policies: Sequence[Policy], *, node: str = ""
) -> Iterator[CallOfAll]:
    """Yields each call of the conversation by each policy.

    Only those of ``node`` if it is named.

    A call is what precedes an assistant message. Its previous call is that of the same node,
    because another node has another prompt. No text is parsed twice, and a budget costs only what
    is new. Source: semantics 4.5.
    """
    log = GrowingLog(recorded.tools)
    same = _row_like_the_first(recorded, policies)
    rows = [
        _Row(_with_views(policy, recorded))
        for place, policy in enumerate(policies)
        if place != same
    ]
    context = PromptContext(metadata=orjson.loads(recorded.metadata))
    number = 0
    for entry, message in zip(recorded.entries(), recorded.messages, strict=True):
        if entry.draft.role == "assistant" and (not node or message.node in ("", node)):
            node_input = NodeInput(context, Messages(log, View([(0, len(log))])))
            calls = [row.call(log, node_input, message.node, recorded.tool_tokens) for row in rows]
            if same is not None:
                calls.insert(same, calls[0])
            yield CallOfAll(entry.index, message.node, number, calls)
            number += 1
        log.append([entry], tokens=[message.tokens])


def seen_at(recorded: Recorded, policy: Policy, index: int) -> Messages:
    """Returns what the call saw that led to the message at a log index."""
    log = log_upto(recorded, index)
    context = PromptContext(metadata=orjson.loads(recorded.metadata))
    node_input = NodeInput(context, Messages(log, View([(0, index)])))
    return _with_views(policy, recorded).see(node_input, index)


def _row_like_the_first(recorded: Recorded, policies: Sequence[Policy]) -> int | None:
    """Returns the row that equals the full history, because what was seen is not recorded."""
    keys = [policy.key for policy in policies]
    if recorded.seen is not None or keys[:1] != [FULL] or RECORDED not in keys:
        return None
    return keys.index(RECORDED)


def _with_views(policy: Policy, recorded: Recorded) -> Policy:
    see = recorded_views(recorded) if policy.key == RECORDED else None
    return policy if see is None else replace(policy, see=see)
