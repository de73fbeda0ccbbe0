"""What providers count for estimated tokens, by model; the app that receives usage registers it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Final

from workflows.store.definitions import BoundedCache

_FRESH_SECONDS: Final = 600.0
_WEIGHT: Final = 4_096


@dataclass(frozen=True, slots=True)
class ModelCalibration:
    """Reported tokens are ``per_token`` for each estimated one and ``beside`` for each call.

    Told by ``steps`` steps that reported their usage.
    """

    model: str
    steps: int
    per_token: float
    beside: float = 0.0

    def reported(self, estimated: int) -> int:
        """What the provider would count for a call of so many estimated tokens."""
        return round(self.per_token * estimated + self.beside)


@dataclass(frozen=True, slots=True)
class Calibrations:
    """By model, and the model that reported last for a node, by its workflow and its id."""

    by_model: Mapping[str, ModelCalibration]
    reported_model: Mapping[tuple[str, str], str]

    def of(self, model: str, workflow: str, node: str) -> ModelCalibration | None:
        """That of the model that a node names; of one that names none, that it reported last."""
        return self.by_model.get(model or self.reported_model.get((workflow, node), ""))


Source = Callable[[int], Calibrations]

NONE: Final = Calibrations({}, {})
SOURCES: list[Source] = []
_kept: Final = BoundedCache[tuple[Calibrations, float]](256, 4 * 1024**2)


def register_calibration_source(source: Source) -> None:
    """Have ``source`` asked for the calibrations of a workspace; called once."""
    SOURCES[:] = [source]


def calibrations_of(workspace: int) -> Calibrations:
    """What is known now, made at most every ten minutes: it takes half a second."""
    known = known_calibrations(workspace)
    if known is not None:
        return known
    found = SOURCES[0](workspace) if SOURCES else NONE
    _kept.store(workspace, (found, monotonic()), _WEIGHT)
    return found


def known_calibrations(workspace: int) -> Calibrations | None:
    """What was made in the last ten minutes; None if that is to be made first."""
    kept = _kept.find(workspace)
    if kept is None or monotonic() - kept[1] > _FRESH_SECONDS:
        return None
    return kept[0]
