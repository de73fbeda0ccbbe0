"""What a node would see, item by item: kept, dropped or changed, and by which rule."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import orjson
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import JsonValue

from conversations.domain.bodies import text_of_content
from conversations.domain.pairing import validate_for_model
from conversations.domain.view import View
from ctxadmin.web.components import Text
from ctxadmin.web.phrases import in_the_readers_language
from workflows.domain.context import PromptContext
from workflows.domain.explain import Decision, Label, Verdict
from workflows.pages import words
from workflows.sights import shown_messages
from workflows.trials import Looked

MOST_ITEMS: Final = 300

VERDICT_WORDS: Final[Mapping[Verdict, Text]] = {
    "kept": gettext_lazy("kept"),
    "dropped": gettext_lazy("dropped"),
    "changed": gettext_lazy("changed"),
    "added": gettext_lazy("added"),
}


@dataclass(frozen=True, slots=True)
class Item:
    """A name, history entry or message; ``before`` and ``after`` are texts, one of them if same."""

    label: str
    role: str
    verdict: Verdict
    word: Text
    before: str
    after: str
    step: str
    reason: str
    renamed: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """One section of the context; ``more`` items of it are not shown."""

    name: str
    title: Text
    items: Sequence[Item]
    more: int
    counts: Sequence[tuple[Verdict, Text, int]]


@dataclass(frozen=True, slots=True)
class Seen:
    """The answer of a preview for a reader; ``split`` names messages that a model rejects."""

    template: str
    sections: Sequence[Section]
    lacks: Sequence[str]
    conflicts: Sequence[str]
    warnings: Sequence[str]
    message_count: int
    split: str
    tokens_before: int
    tokens_after: int
    cached_prefix_lost: int


# The JSON of messages by log index.
Bodies = Mapping[int, Mapping[str, JsonValue]]


def seen_of(looked: Looked, most: int = MOST_ITEMS) -> Seen:
    """What a node would see beside what it was made from, at most ``most`` items a section."""
    entered, seen = looked.entered, looked.entered.sight
    told = {
        name: [each for each in entered.explanation if each.section == name]
        for name in words.SECTION_WORDS
    }
    parts = {name: _shown_part(listed, most) for name, listed in told.items()}
    teller = _Teller(looked.origin.context, seen.context, *_bodies(looked, parts["messages"]))
    return Seen(
        template=seen.context.template,
        sections=[_section(name, told[name], parts[name], teller) for name in told],
        lacks=[in_the_readers_language(each.message) for each in looked.problems],
        conflicts=[
            _("%(section)s %(name)s: %(winner)s wins over %(loser)s") % conflict.as_json()
            for conflict in entered.conflicts
        ],
        warnings=[_warning(notice.message, notice.indices) for notice in entered.warnings],
        message_count=len(seen.messages.view),
        split=named_indices(validate_for_model(seen.messages.view, seen.messages.log)),
        tokens_before=looked.tokens_before,
        tokens_after=looked.tokens_after,
        cached_prefix_lost=looked.cached_prefix_lost,
    )


def _bodies(looked: Looked, decisions: Sequence[Decision]) -> tuple[Bodies, Bodies]:
    """The messages that are shown, before and after; nothing is read of the others."""
    told = {each.index: each.verdict for each in decisions if each.index is not None}
    former = [index for index, verdict in told.items() if verdict in ("dropped", "changed")]
    origin = looked.origin.messages
    logged = View.of_indices(index for index in sorted(former) if index < len(origin.log))
    before = shown_messages(looked.source, origin.showing(logged))
    view = looked.entered.sight.messages.view
    now = View.of_indices(index for index in told if view.position_of(index) is not None)
    return _by_index(before), _by_index(looked.messages(now))


def _by_index(messages: Sequence[orjson.Fragment]) -> Bodies:
    return {each["index"]: each for each in orjson.loads(orjson.dumps(list(messages)))}


def _warning(message: str, indices: Sequence[int]) -> str:
    named = named_indices(indices)
    said = in_the_readers_language(message)
    return f"{said} ({named})" if named else said


def named_indices(indices: Sequence[int]) -> str:
    """The first few messages by their log indices."""
    return ", ".join(f"#{index}" for index in indices[:8]) + (" …" if len(indices) > 8 else "")


def _section(
    name: str, decisions: Sequence[Decision], shown: Sequence[Decision], teller: "_Teller"
) -> Section:
    counts = Counter(decision.verdict for decision in decisions)
    return Section(
        name=name,
        title=words.SECTION_WORDS[name],
        items=[teller.item(decision) for decision in shown],
        more=len(decisions) - len(shown),
        counts=[(each, word, counts[each]) for each, word in VERDICT_WORDS.items() if counts[each]],
    )


def _shown_part(decisions: Sequence[Decision], most: int) -> Sequence[Decision]:
    """The head and the tail of a long list."""
    if len(decisions) <= most:
        return decisions
    return [*decisions[: most // 2], *decisions[-(most // 2) :]]


class _Teller:
    """Finds the texts of items before and after."""

    def __init__(
        self, origin: PromptContext, seen: PromptContext, before: Bodies, after: Bodies
    ) -> None:
        self._origin = origin
        self._seen = seen
        self._before = before
        self._after = after

    def item(self, decision: Decision) -> Item:
        found = self._texts(decision)
        if found.before == found.after and found.verdict == "changed" and not found.renamed:
            return replace(found, after="")
        return found

    def _texts(self, decision: Decision) -> Item:
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
        return Item(
            label=label,
            role=role,
            verdict=decision.verdict,
            word=VERDICT_WORDS[decision.verdict],
            before=before,
            after=after,
            step=step_words(decision.step),
            reason=in_the_readers_language(decision.reason),
            renamed=decision.renamed or "",
        )

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
    """The text of a message and the names of its calls."""
    text = text_of_content(message.get("content"))
    calls = message.get("tool_calls")
    named = [_call(each) for each in calls] if isinstance(calls, list) else []
    return "\n".join(part for part in (text, *named) if part)


def _call(call: JsonValue) -> str:
    if not isinstance(call, dict):
        return ""
    function = call.get("function")
    inner = function if isinstance(function, dict) else call
    return f"→ {inner.get('name', '')}({_text(inner.get('arguments', ''))})"


def step_words(step: Label) -> str:
    """The label of a step as a reader knows it: ``edge drafted``, ``type llm_context``."""
    text = str(step)
    kind, colon, name = text.partition(":")
    known = {
        "type": _("context type %(name)s"),
        "edge": _("edge %(name)s"),
        "outgoing": _("outgoing filter of %(name)s"),
    }
    if colon and kind in known:
        return known[kind] % {"name": name}
    return _("filter of the node") if text == "filter" else text


def _text(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
