"""What the next call of a node sends, beside the call before it and beside the full history."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from django.conf import settings

from conversations.domain.message import CountsAs
from conversations.domain.operations import tokens_of
from conversations.domain.prices import Price
from conversations.domain.runs import indices
from conversations.domain.view import View
from conversations.workspace.pricing import prices_of
from ctxadmin.lib.errors import ContextError
from ctxadmin.lib.work_budget import limit_work
from workflows.costs.calibrations import Calibrations, ModelCalibration
from workflows.domain.backtests.element_policies import model_of
from workflows.domain.backtests.presets import DEFAULT_PRICE, RATIOS
from workflows.domain.backtests.sums import cost_of
from workflows.domain.context.prompt_context import Messages
from workflows.domain.running import flow
from workflows.domain.running.plan import Plan
from workflows.previews.conversation import NodePreview
from workflows.previews.node_inputs import token_sums

_ASSISTANT: Final[frozenset[CountsAs]] = frozenset({"assistant"})


@dataclass(frozen=True, slots=True)
class CallCost:
    """Tokens of a call by a node's filters and by the full history.

    ``cached`` were at the front of the call before; ``lost`` of that call's are not any more.
    ``is_first``: there was no call before, and nothing is cached. ``model`` is the one whose price
    it is, "" for prices in proportion. ``calibration`` tells what the provider would count.
    """

    sent: int
    cached: int
    lost: int
    full_sent: int
    full_cached: int
    is_first: bool
    price: Price
    model: str
    calibration: ModelCalibration | None = None

    @property
    def fresh(self) -> int:
        return self.sent - self.cached

    @property
    def full_fresh(self) -> int:
        return self.full_sent - self.full_cached

    @property
    def cost(self) -> Decimal:
        """US dollars by the price of the model, else in proportion."""
        return cost_of(self.price, self.sent, self.cached)

    @property
    def cost_change(self) -> float | None:
        """Against the full history: 0.1 is 10 % more; None if that costs nothing."""
        whole = cost_of(self.price, self.full_sent, self.full_cached)
        return float(self.cost / whole) - 1 if whole else None


def call_cost(
    workspace: int,
    workflow: str,
    plan: Plan,
    node_preview: NodePreview,
    calibrations: Calibrations | None,
) -> CallCost | None:
    """The cost of the call that a preview shows; None if the call before cannot be told.

    The call before is what led to the last visible message of the assistant: of this node if it is
    known to have written one. Source: semantics 4.5.
    """
    node = node_preview.entered.node_id
    count = token_sums(node_preview.source)
    before, after = node_preview.origin.messages, node_preview.entered.node_input.messages
    place = _last_answer(before, node)
    lost = cached = 0
    if place is not None:
        former = before.with_view(before.view.slice(0, place))
        node_input = replace(node_preview.origin, messages=former)
        try:
            with limit_work(settings.MAX_PREVIEW_WORK):
                seen = flow.enter(plan, node, node_input, node_preview.entered.edges, check=False)
        except ContextError:
            return None
        then = seen.node_input.messages
        common = common_front(then, after)
        cached = tokens_of(after.view.slice(0, common), flow.counting(after, count))
        lost = tokens_of(then.view, flow.counting(then, count)) - cached
    named = model_of(plan.graph.nodes[node])
    price = prices_of(workspace).price_of(named[:200])
    known = None if calibrations is None else calibrations.of(named, workflow, node)
    return CallCost(
        sent=node_preview.tokens_after,
        cached=cached,
        lost=max(lost, 0),
        full_sent=node_preview.tokens_before,
        full_cached=tokens_of(before.view.slice(0, place or 0), flow.counting(before, count)),
        is_first=place is None,
        price=RATIOS[DEFAULT_PRICE] if price is None else price,
        model=named if price is not None else "",
        calibration=known,
    )


def common_front(former: Messages, latter: Messages) -> int:
    """How many messages two calls begin with; those that filters put in count by their text."""
    if not former.inserted and not latter.inserted:
        return flow.common_prefix(former, latter)
    length = 0
    for here, there in zip(former.view, latter.view, strict=False):
        if _identity(former, here) != _identity(latter, there):
            break
        length += 1
    return length


def _identity(messages: Messages, index: int) -> object:
    entry = messages.inserted_at(index)
    own: object = index if entry is None else entry.draft.body
    return own, messages.rewrites.get(index, ())


def _last_answer(messages: Messages, node: str) -> int | None:
    """The position of the last message of the assistant, of one node if it wrote any."""
    view, log = messages.view, messages.log
    runs = log.with_roles(_ASSISTANT, view.indices_as_runs())
    if not runs:
        return None
    own = [each.index for each in log.origins(runs) if each.node_id == node]
    return _last_position(view, own or list(indices(runs)))


def _last_position(view: View, found: Sequence[int]) -> int | None:
    return max((at for at in map(view.position_of, found) if at is not None), default=None)
