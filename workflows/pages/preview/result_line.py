"""The result of a preview in one line, which stays in sight while its details are closed."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ctxadmin.ui.templatetags.ui import grouped
from workflows.pages.preview.preview_result import PreviewSection, PreviewView


def result_line(seen: PreviewView) -> str:
    """Returns what a node sees and what that costs: ``3 of 8 messages · 90 of 275 tokens``."""
    parts = _amounts(seen)
    if seen.tokens_after < seen.tokens_before:
        parts.append(
            _("%(seen)s of %(all)s tokens") % _counts(seen.tokens_after, seen.tokens_before)
        )
    else:
        text = ngettext("%(n)s token", "%(n)s tokens", seen.tokens_after)
        parts.append(text % {"n": grouped(seen.tokens_after)})
    if seen.call is not None and seen.call.cost != "–":
        parts.append(_("this call costs %(cost)s") % {"cost": seen.call.cost})
    if seen.assumed:
        parts.append(_("as if the condition were true"))
    return " · ".join(parts)


def result_problem(seen: PreviewView) -> str:
    """Returns the first thing that would go wrong with what a node sees; empty for nothing."""
    if seen.not_taken and seen.is_of_edge:
        return _("This edge is not taken")
    if seen.lacks:
        return _("The node would be refused")
    if seen.split:
        return _("Incomplete tool pairs")
    return seen.system_dropped or (_("The node is not reached") if seen.not_taken else "")


def _amounts(seen: PreviewView) -> list[str]:
    words = {
        "messages": _("%(seen)s of %(all)s messages"),
        "variables": _("%(seen)s of %(all)s variables"),
    }
    sections = {section.name: section for section in seen.sections}
    return [
        words[name] % _counts(*_seen_of(sections[name]))
        for name in words
        if name in sections and sections[name].items
    ]


def _seen_of(section: PreviewSection) -> tuple[int, int]:
    """How many items a node sees, and how many there were."""
    counts = {verdict: count for verdict, _word, count in section.counts}
    same = counts.get("kept", 0) + counts.get("changed", 0)
    added = counts.get("added", 0)
    return same + added, max(same + counts.get("dropped", 0), same + added)


def _counts(seen: int, whole: int) -> dict[str, str]:
    return {"seen": grouped(seen), "all": grouped(whole)}
