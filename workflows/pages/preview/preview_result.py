"""What a node would see, item by item: kept, dropped or changed, and by which rule."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import orjson
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from pydantic import JsonValue

from conversations.domain import runs as run_sets
from conversations.domain.bodies import text_of_content
from conversations.domain.message import CountsAs
from conversations.domain.pairing import validate_for_model
from conversations.domain.view import View
from conversations.pages.changes.budget_hints import over_budget_text
from ctxadmin.lib.json_texts import unescaped
from ctxadmin.lib.text_diff import TextPiece, text_diff
from ctxadmin.ui.components import Text
from ctxadmin.ui.sentences import as_sentence, translated
from workflows.costs.calls import CallCost
from workflows.domain.context.explain import Decision, Label, StepNotice, Verdict
from workflows.domain.context.prompt_context import Messages, PromptContext
from workflows.pages.drawing import summaries
from workflows.pages.preview.call_words import CallWords, call_words
from workflows.previews.conversation import NodePreview
from workflows.previews.node_inputs import shown_messages

MOST_ITEMS: Final = 300
_SYSTEM: Final[frozenset[CountsAs]] = frozenset({"system"})

VERDICT_WORDS: Final[Mapping[Verdict, Text]] = {
    "kept": gettext_lazy("kept"),
    "dropped": gettext_lazy("dropped"),
    "changed": gettext_lazy("changed"),
    "added": gettext_lazy("added"),
}


@dataclass(frozen=True, slots=True)
class PreviewItem:
    """A name, history entry or message; ``before`` and ``after`` are texts, one of them if same.

    ``pieces`` are the words that a change took and brought; ``skipped`` items stand before it that
    are not shown. A message has its log ``index`` if it is logged.
    """

    label: str
    role: str
    verdict: Verdict
    word: Text
    before: str
    after: str
    step: str
    reason: str
    renamed: str = ""
    pieces: Sequence[TextPiece] = ()
    skipped: int = 0
    index: int | None = None
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class PreviewSection:
    """One section of the context."""

    name: str
    title: Text
    items: Sequence[PreviewItem]
    counts: Sequence[tuple[Verdict, Text, int]]


@dataclass(frozen=True, slots=True)
class PreviewView:
    """The result of a preview for a reader; ``split`` names messages that a model rejects.

    ``system_dropped`` says which system messages the node does not see, ``not_taken`` that the edge
    is not taken, so that nobody wonders about the rest; ``is_of_edge`` if that was asked for.
    ``assumed`` says instead that it is shown as if it were taken.
    """

    template: str
    sections: Sequence[PreviewSection]
    lacks: Sequence[str]
    conflicts: Sequence[str]
    warnings: Sequence[str]
    message_count: int
    split: str
    system_dropped: str
    not_taken: str
    assumed: str
    is_of_edge: bool
    tokens_before: int
    tokens_after: int
    cached_prefix_lost: int
    call: CallWords | None


# The JSON of messages by log index.
Bodies = Mapping[int, Mapping[str, JsonValue]]


def preview_view(
    node_preview: NodePreview, most: int = MOST_ITEMS, *, call: CallCost | None = None
) -> PreviewView:
    """What a node would see beside what it was made from, at most ``most`` items a section.

    ``call`` is what its next call costs, if that is known.
    """
    entered, seen = node_preview.entered, node_preview.entered.node_input
    is_shut = _is_shut(node_preview)
    verdicts = {
        name: [each for each in entered.explanation if each.section == name]
        for name in summaries.SECTION_WORDS
    }
    parts = {name: _positions_to_show(listed, most) for name, listed in verdicts.items()}
    shown = [verdicts["messages"][place] for place in parts["messages"]]
    bodies = _bodies(node_preview, shown)
    item_texts = _ItemTexts(
        node_preview.origin.context, seen.context, *bodies, node_preview.origin.messages
    )
    return PreviewView(
        template=seen.context.template,
        sections=[
            _section(name, verdicts[name], parts[name], item_texts)
            for name in sorted(verdicts, key=lambda name: name != "messages")
        ],
        lacks=[] if is_shut else [as_sentence(each.message) for each in node_preview.problems],
        conflicts=[
            _("%(section)s %(name)s: %(winner)s wins over %(loser)s") % conflict.as_json()
            for conflict in entered.conflicts
        ],
        warnings=[
            _warning(notice)
            for notice in entered.warnings
            if notice.code != "system_hidden"  # system_dropped tells it, and in red.
        ],
        message_count=len(seen.messages.view),
        system_dropped="" if is_shut else _system_dropped(node_preview),
        not_taken="" if node_preview.is_assumed else _not_taken(node_preview),
        assumed=_assumed(node_preview) if node_preview.is_assumed else "",
        is_of_edge=node_preview.of_edge,
        split=format_indices(validate_for_model(seen.messages.view, seen.messages.log)),
        tokens_before=node_preview.tokens_before,
        tokens_after=node_preview.tokens_after,
        cached_prefix_lost=node_preview.cached_prefix_lost,
        call=None if call is None or is_shut else call_words(call),
    )


def _is_shut(node_preview: NodePreview) -> bool:
    """Returns whether nothing is seen because a condition is false, which says all."""
    if node_preview.is_assumed:
        return False
    seen = node_preview.entered.node_input.messages.view
    return bool(node_preview.false_condition) and (node_preview.of_edge or not len(seen))


def _not_taken(node_preview: NodePreview) -> str:
    condition = node_preview.false_condition
    if not condition:
        return ""
    if node_preview.of_edge:
        text = _("The condition is false in this state, so this edge is not taken: %(condition)s")
    else:
        text = _(
            "The node is not reached in this state: the condition of its edge is false: "
            "%(condition)s"
        )
    return text % {"condition": condition}


def _assumed(node_preview: NodePreview) -> str:
    condition = node_preview.false_condition
    if not condition:
        return ""
    text = _("Shown as if the condition of its edge were true: %(condition)s")
    return text % {"condition": condition}


def _system_dropped(node_preview: NodePreview) -> str:
    messages, seen = node_preview.origin.messages, node_preview.entered.node_input.messages.view
    dropped = messages.view.without(seen.indices_as_runs()).indices_as_runs()
    found = messages.log.with_roles(_SYSTEM, dropped) if dropped else ()
    if not found:
        return ""
    others = {*messages.log.tool_descriptions(), *messages.log.pointers()}
    gone = list(run_sets.indices(run_sets.difference(found, run_sets.of_indices(sorted(others)))))
    if not gone:
        return ""
    text = ngettext(
        "The system message will be hidden: %(places)s.",
        "%(n)s system messages will be hidden: %(places)s.",
        len(gone),
    )
    return text % {"n": len(gone), "places": format_indices(gone)}


def _bodies(node_preview: NodePreview, decisions: Sequence[Decision]) -> tuple[Bodies, Bodies]:
    """Reads the messages that are shown, before and after, and no others."""
    verdicts = {each.index: each.verdict for each in decisions if each.index is not None}
    former = [index for index, verdict in verdicts.items() if verdict in ("dropped", "changed")]
    origin = node_preview.origin.messages
    logged = View.of_indices(index for index in sorted(former) if index < len(origin.log))
    before = shown_messages(node_preview.source, origin.with_view(logged))
    view = node_preview.entered.node_input.messages.view
    now = View.of_indices(index for index in verdicts if view.position_of(index) is not None)
    return _by_index(before), _by_index(node_preview.messages(now))


def _by_index(messages: Sequence[orjson.Fragment]) -> Bodies:
    return {each["index"]: each for each in orjson.loads(orjson.dumps(list(messages)))}


def _warning(notice: StepNotice) -> str:
    if notice.code == "over_budget":
        return over_budget_text(notice.message)
    named = format_indices(notice.indices)
    message = as_sentence(notice.message)
    return f"{message} ({named})" if named else message


def format_indices(indices: Sequence[int]) -> str:
    """Returns the first few messages by their log indices."""
    return ", ".join(f"#{index}" for index in indices[:8]) + (" …" if len(indices) > 8 else "")


def _section(
    name: str, decisions: Sequence[Decision], shown: Sequence[int], item_texts: "_ItemTexts"
) -> PreviewSection:
    counts = Counter(decision.verdict for decision in decisions)
    return PreviewSection(
        name=name,
        title=summaries.SECTION_WORDS[name],
        items=list(_items(decisions, shown, item_texts)),
        counts=[(each, word, counts[each]) for each, word in VERDICT_WORDS.items() if counts[each]],
    )


def _items(
    decisions: Sequence[Decision], shown: Sequence[int], item_texts: "_ItemTexts"
) -> Iterator[PreviewItem]:
    """Returns the shown items, each with the number of hidden items before it."""
    here = 0
    for place in shown:
        yield replace(item_texts.item(decisions[place]), skipped=place - here)
        here = place + 1


def _positions_to_show(decisions: Sequence[Decision], most: int) -> Sequence[int]:
    """Returns the positions to show of a long list: its ends, and each change of verdict."""
    if len(decisions) <= most:
        return range(len(decisions))
    edges = [
        place
        for place in range(1, len(decisions))
        if decisions[place].verdict != decisions[place - 1].verdict
    ]
    wanted = {place - side for place in edges[: most // 4] for side in (1, 0)}
    left = most - len(wanted)
    ends = [*range(left // 2), *range(len(decisions) - left // 2, len(decisions))]
    return sorted(wanted.union(ends))


class _ItemTexts:
    """Finds the texts of items before and after."""

    def __init__(
        self,
        origin: PromptContext,
        seen: PromptContext,
        before: Bodies,
        after: Bodies,
        messages: Messages,
    ) -> None:
        self._logged = messages.logged
        self._pins = frozenset(messages.log.pins())
        self._origin = origin
        self._seen = seen
        self._before = before
        self._after = after

    def item(self, decision: Decision) -> PreviewItem:
        found = self._texts(decision)
        if found.before == found.after and found.verdict == "changed" and not found.renamed:
            return replace(found, after="")
        if found.verdict == "changed" and found.after:
            return replace(found, pieces=text_diff(found.before, found.after))
        return found

    def _texts(self, decision: Decision) -> PreviewItem:
        label, role = decision.name or "", ""
        match decision.section:
            case "variables" | "metadata":
                values = getattr(self._origin, decision.section)
                later = getattr(self._seen, decision.section)
                before = _text(values.get(decision.name)) if decision.name in values else ""
                name = decision.renamed or decision.name
                after = _text(later.get(name)) if name in later else ""
            case "history":
                label = f"{decision.name} #{decision.index if decision.index is not None else ''}"
                before, after = self._history(decision)
            case _:
                label, role, before, after = self._message(decision)
        if decision.verdict == "dropped":
            after = ""
        elif decision.verdict in ("kept", "added"):
            before = ""
        return PreviewItem(
            label=label,
            role=role,
            verdict=decision.verdict,
            word=VERDICT_WORDS[decision.verdict],
            before=before,
            after=after,
            step=step_label(decision.step),
            reason=translated(decision.reason),
            renamed=decision.renamed or "",
            index=self._log_index(decision),
            pinned=decision.section == "messages" and decision.index in self._pins,
        )

    def _log_index(self, decision: Decision) -> int | None:
        """The log index of a message that is logged."""
        if decision.section != "messages" or decision.index is None:
            return None
        return decision.index if decision.index < self._logged else None

    def _history(self, decision: Decision) -> tuple[str, str]:
        if decision.verdict == "changed":
            return _text(decision.before), _text(decision.after)
        listed, place = self._origin.history, decision.index
        if decision.verdict == "added":
            listed, place = self._seen.history, decision.place
        if place is None or not 0 <= place < len(listed):
            return "", ""
        text = _text(listed[place].as_json())
        return text, text

    def _message(self, decision: Decision) -> tuple[str, str, str, str]:
        index = decision.index if decision.index is not None else -1
        before, after = self._before.get(index), self._after.get(index)
        known = after or before or {}
        return (
            f"#{index}",
            str(known.get("role", "")),
            message_text(before) if before else "",
            message_text(after) if after else "",
        )


def message_text(message: Mapping[str, JsonValue]) -> str:
    """Returns the text of a message and the names of its calls."""
    text = unescaped(text_of_content(message.get("content")))
    calls = message.get("tool_calls")
    named = [_call(each) for each in calls] if isinstance(calls, list) else []
    return "\n".join(part for part in (text, *named) if part)


def _call(call: JsonValue) -> str:
    if not isinstance(call, dict):
        return ""
    function = call.get("function")
    inner = function if isinstance(function, dict) else call
    return f"→ {inner.get('name', '')}({_text(inner.get('arguments', ''))})"


def step_label(step: Label) -> str:
    """Returns the label of a step for a reader: ``edge drafted``, ``type llm_context``."""
    text = str(step)
    kind, colon, name = text.partition(":")
    known = {
        "type": _("context type %(name)s"),
        "edge": _("edge %(name)s"),
        "outgoing": _("output filter of %(name)s"),
    }
    if colon and kind in known:
        return known[kind] % {"name": name}
    return _("input filter") if text == "filter" else text


def _text(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
