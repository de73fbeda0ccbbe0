"""Folds a budget over the view of a log, continuing from an earlier fold."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from conversations.domain.budgets.config import BudgetConfig
from conversations.domain.budgets.fold import Fold, Weight
from conversations.domain.log import Log
from conversations.domain.view import View

NOTHING: Final[Mapping[int, int]] = MappingProxyType({})


def fold_of(
    config: BudgetConfig,
    view: View,
    log: Log,
    *,
    protected: frozenset[int] = frozenset(),
    freed: Mapping[int, int] = NOTHING,
    leaves_pointer: bool = False,
) -> Fold:
    """The fold over the whole of ``view``; it belongs to others too, so it must not be changed.

    ``protected`` are log indices that stay, in whole groups of calls and results; ``freed`` are
    tokens by log index that messages have no longer; with ``leaves_pointer`` there is room for a
    line that names what is hidden. Costs the messages that no earlier fold
    knows, and reads no bodies.
    """
    folds = log.folds()
    key = (_text_of(config), protected, tuple(sorted(freed.items())), leaves_pointer)
    known = folds.find(key, view) if folds else None
    if known is not None and known.count == len(view):
        return known
    if folds and known is not None:
        fold = folds.continued(known)
    else:
        fold = Fold(config, protected, leaves_pointer)
    extend(fold, view, log, freed)
    if folds:
        folds.store(key, view, fold)
    return fold


@lru_cache(maxsize=512)
def _text_of(config: BudgetConfig) -> str:
    return config.model_dump_json()


def extend(fold: Fold, view: View, log: Log, freed: Mapping[int, int] = NOTHING) -> None:
    """Folds the messages of ``view`` that follow the folded ones."""
    lines = log.pointers()
    for weight in _weights(view.slice(fold.count, len(view)), log):
        index = weight.index
        if index in lines:
            weight = weight.as_notice()
        call = None if weight.call is None else view.position_of(weight.call)
        if call is not None and call >= fold.count:
            call = None  # it stands behind its result: they are split already
        fold.add(weight.reduced_by(freed[index]) if index in freed else weight, call)


def _weights(view: View, log: Log) -> Iterable[Weight]:
    """Returns the weights of the messages of a view, in its order."""
    runs = view.indices_as_runs()
    if runs is view.runs:
        return log.weights(runs)
    by_index = {weight.index: weight for weight in log.weights(runs)}
    return (by_index[index] for index in view)
