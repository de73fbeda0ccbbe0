"""Budgets that may take the place of a policy that does not pay."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from pydantic import JsonValue

from workflows.domain.backtests.element_policies import ElementKind
from workflows.domain.document.graph import CONTEXT_PROCESSOR, Document, Edge, Node, filters_in

_LEAST: Final = 200  # tokens
_DEPTH: Final = 0.5  # of the maximum: deep cuts pay more often than shallow ones
# Where cuts begin, beside the largest call of the conversation in the middle.
_STARTS: Final = (0.5, 0.75, 1.0)
# Budgets to try first begin within the conversation in the middle, which cuts once or twice then,
# and leave so much: a call that follows a cut is paid in full, so few deep cuts pay soonest.
_FIRST_STARTS: Final = (0.5, 0.75)
_FIRST_TARGET: Final = 0.3  # of the maximum
_SHORT: Final = 1_000  # tokens of a conversation that is not worth a cut


@dataclass(frozen=True, slots=True)
class Budget:
    """A budget in tokens; the target is below the maximum."""

    max_tokens: int
    target_tokens: int

    @property
    def operation(self) -> dict[str, JsonValue]:
        """As an operation of a filter."""
        limits: JsonValue = {"max_tokens": self.max_tokens, "target_tokens": self.target_tokens}
        return {"operation": "budget", "budget": limits, "pairing": "keep"}


def candidates(largest: Sequence[int]) -> list[Budget]:
    """Budgets worth trying on conversations whose largest calls have these tokens.

    The last one is larger than all of them: it cuts nothing, and costs what the full history costs.
    """
    if not largest:
        return []
    middle, most = median(largest), max(largest)
    limits = {_rounded(middle * share) for share in _STARTS} | {_rounded(most * 1.1)}
    return [Budget(limit, int(limit * _DEPTH)) for limit in sorted(limits)]


def first_budgets(sizes: Sequence[int]) -> list[Budget]:
    """Returns budgets to try first on conversations of these sizes in tokens; none on short ones.

    They fit the conversation in the middle, and the second differs from the first.
    """
    middle = median(sizes) if sizes else 0
    if middle < _SHORT:
        return []
    limits = [_rounded(middle * start) for start in _FIRST_STARTS]
    return [Budget(limit, int(limit * _FIRST_TARGET)) for limit in limits]


def _rounded(tokens: float) -> int:
    """With two digits, upwards, so that a further conversation seldom makes other budgets."""
    whole = max(int(tokens), _LEAST)
    step: int = 10 ** max(len(str(whole)) - 2, 0)
    return -(-whole // step) * step


def repaired(document: Document, kind: ElementKind, name: str, budget: Budget) -> Document:
    """The document with the budget in place of the operations on messages of one element.

    What else an element says, as its rules, stays. Without such an element it is the same document.
    """
    if kind == "node":
        nodes = [_node(each, budget) if each.id == name else each for each in document.nodes]
        return document.model_copy(update={"nodes": tuple(nodes)})
    edges = [_edge(each, budget) if each.id == name else each for each in document.edges]
    return document.model_copy(update={"edges": tuple(edges)})


def _node(node: Node, budget: Budget) -> Node:
    if node.type == CONTEXT_PROCESSOR:
        former = {"operation", str(node.config.get("operation"))}
        kept = {key: value for key, value in node.config.items() if key not in former}
        return _changed(node, "config", {**kept, **budget.operation})
    filters = [dict(each) for each in filters_in(node.context_filter)]
    if not filters:
        own: JsonValue = {
            "rules": [],
            "default_behavior": "pass",
            "messages": [budget.operation],
        }
        return _changed(node, "context_filter", own)
    place = next((at for at, each in enumerate(filters) if each.get("messages")), 0)
    for at, each in enumerate(filters):
        each.pop("messages", None)
        if at == place:
            each["messages"] = [budget.operation]
    listed = isinstance(node.context_filter, list)
    return _changed(node, "context_filter", [*filters] if listed else filters[0])


def _edge(edge: Edge, budget: Budget) -> Edge:
    own: Mapping[str, JsonValue] = edge.context_filter or {"type": "pass_all"}
    update = {"context_filter": {**own, "messages": [budget.operation]}}
    return edge.model_copy(update=update)


def _changed(node: Node, name: str, value: JsonValue) -> Node:
    return node.model_copy(update={name: value})
