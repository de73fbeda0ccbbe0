"""The position of an execution as marks on the canvas of its workflow."""

from collections.abc import Iterator, Mapping
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from checkpoints.contexts.trace import Trace
from checkpoints.domain.pauses import When
from checkpoints.domain.status import Status
from checkpoints.pages import presenters
from checkpoints.pages.presenters import PositionView
from checkpoints.pages.usage.canvas import usage_label
from checkpoints.statistics.usage_costs import UsageSum
from checkpoints.store.pinned_workflow import PinnedVersion
from checkpoints.store.snapshots import StoredSnapshot
from ctxadmin.ui.components import STATUSES
from workflows.pages.drawing.marks import CanvasMark, Marks, Sign

_SIGNS: Final = (
    Sign("paused", "player-pause", gettext_lazy("paused here")),
    Sign("failed", "alert-circle", gettext_lazy("failed here")),
    Sign("ready", "player-play", gettext_lazy("runs next")),
    Sign("done", "check", gettext_lazy("done")),
    Sign("open", "circle-dashed", gettext_lazy("not run")),
    Sign("taken", "arrow-right", gettext_lazy("edge taken")),
    Sign("refused", "x", gettext_lazy("edge not taken")),
)
_STOPS: Final = {Status.PAUSED: "paused", Status.FAILED: "failed"}


def marks_of(
    moment: StoredSnapshot,
    course: Trace,
    executed: Mapping[str, int],
    usage: Mapping[str, UsageSum],
) -> Marks:
    """Returns the marks of a moment.

    ``executed`` counts by node how often it is on record as executed; ``usage`` has the nodes whose
    engine reported any.
    """
    position = presenters.position_view(moment)
    if moment.pinned is None:
        return Marks(_state_words(position), STATUSES[position.status].icon, ())
    return Marks(
        summary=_state_words(position),
        icon=STATUSES[position.status].icon,
        signs=_SIGNS,
        nodes=dict(_nodes(moment, moment.pinned, executed, usage)),
        edges=dict(_edges(moment, course)),
    )


def _state_words(position: PositionView) -> str:
    status = str(STATUSES[position.status].label)
    if position.node is None:
        return _("%(status)s, version %(n)s") % {"status": status, "n": position.version}
    before = _("%(status)s before %(node)s, version %(n)s")
    after = _("%(status)s after %(node)s, version %(n)s")
    text = before if position.side == When.BEFORE else after
    return text % {"status": status, "node": position.node.name, "n": position.version}


def _nodes(
    moment: StoredSnapshot,
    pinned: PinnedVersion,
    executed: Mapping[str, int],
    usage: Mapping[str, UsageSum],
) -> Iterator[tuple[str, CanvasMark]]:
    ready = frozenset(moment.ready)
    stopped = _STOPS.get(moment.status, "")
    for name in pinned.graph.nodes:
        runs = executed.get(name, 0)
        done = _times(runs, _("done"), _("completed ×%(n)s")) if runs else ""
        if name in usage:
            done = _join_parts(f"×{runs}" if runs > 1 else "", usage_label(usage[name]))
        if stopped and name == moment.node_id:
            yield name, CanvasMark(stopped, _join_parts(_stopped(moment), done))
        elif name in ready:
            yield name, CanvasMark("ready", _join_parts(_("runs next"), done))
        elif done:
            yield name, CanvasMark("done", done)
        else:
            yield name, CanvasMark("open", _("not run"))


def _stopped(moment: StoredSnapshot) -> str:
    if moment.status is Status.FAILED:
        return _("failed")
    return _("paused before") if moment.when is When.BEFORE else _("paused after")


def _edges(moment: StoredSnapshot, course: Trace) -> Iterator[tuple[str, CanvasMark]]:
    waiting = moment.marking.waiting if moment.marking is not None else {}
    for edge, (taken, refused) in course.decisions().items():
        if taken:
            text = _times(taken, _("taken"), _("taken ×%(n)s"))
            yield (
                edge,
                CanvasMark("taken", _join_parts(text, _("waiting") if waiting.get(edge) else "")),
            )
        elif refused:
            yield edge, CanvasMark("refused", _("not taken"))


def _times(count: int, once: str, often: str) -> str:
    return once if count == 1 else often % {"n": count}


def _join_parts(*parts: str) -> str:
    return " · ".join(part for part in parts if part)
