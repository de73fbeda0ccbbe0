"""The differences of two states as a tree that folds: each key once, its changes below it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from checkpoints.pages.state.place_names import SEPARATOR, PlaceNames, PlaceStep, joined
from checkpoints.pages.state.state_rows import state_row
from ctxadmin.lib.diff_folds import rows_in_sight
from ctxadmin.lib.structural_diff import Difference, DifferenceKind, Value
from ctxadmin.ui.components import DiffRow


@dataclass(slots=True)
class ChangeBranch:
    """A key, or an item of a list: its own change, and the changes within it.

    ``count`` is the number of changes here and below; ``type_changed`` is True if the JSON type
    differs.
    """

    name: str
    rows: list[DiffRow] = field(default_factory=list)
    branches: list["ChangeBranch"] = field(default_factory=list)
    count: int = 0
    type_changed: bool = False

    @property
    def shown(self) -> Sequence["ChangeBranch"]:
        """Returns the branches that stay in sight."""
        return self.branches[: rows_in_sight(len(self.branches))]

    @property
    def folded(self) -> Sequence["ChangeBranch"]:
        """Returns the branches that are shown on demand, if there are many."""
        return self.branches[rows_in_sight(len(self.branches)) :]

    @property
    def folded_count(self) -> int:
        return sum(each.count for each in self.folded)


def tree_of(differences: Sequence[Difference], after: Value) -> list[ChangeBranch]:
    """Returns the changes by key, with the names of their places in the later state.

    A key with only one child is on one line with it: ``facts / item 3``. Two places with the same
    name have a branch each.
    """
    root = ChangeBranch("")
    places = PlaceNames(after, differences)
    known: dict[tuple[str, bool], ChangeBranch] = {}
    for each in differences:
        here = root
        steps = places.steps(each)
        for step in steps:
            here = _below(here, step, known)
        here.rows.append(state_row(each, joined(steps)))
        here.type_changed = here.type_changed or each.kind is DifferenceKind.TYPE_CHANGED
    _count(root)
    return [_shortened(each) for each in root.branches] or ([root] if root.rows else [])


def _below(
    branch: ChangeBranch, step: PlaceStep, known: dict[tuple[str, bool], ChangeBranch]
) -> ChangeBranch:
    place = (step.path, step.removed)
    if place not in known:
        known[place] = ChangeBranch(step.name)
        branch.branches.append(known[place])
    return known[place]


def _count(branch: ChangeBranch) -> int:
    branch.count = len(branch.rows) + sum(map(_count, branch.branches))
    return branch.count


def _shortened(branch: ChangeBranch) -> ChangeBranch:
    """Returns the branch without steps that lead to one place only."""
    while not branch.rows and len(branch.branches) == 1:
        only = branch.branches[0]
        only.name = f"{branch.name}{SEPARATOR}{only.name}"
        branch = only
    branch.branches = [_shortened(each) for each in branch.branches]
    return branch
