"""What the sheet of an action says of the messages that go and of those that stay."""

from collections.abc import Mapping, Sequence
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from conversations.domain import runs as run_sets
from conversations.domain.beginnings import beginning_of
from conversations.domain.bodies import StoredMessage, object_in, text_of_content
from conversations.domain.runs import Runs
from conversations.domain.view import View
from conversations.models import Conversation
from conversations.pages.message_numbers import format_runs
from conversations.pages.reading.tool_calls import call_of
from conversations.reading import queries
from conversations.services.results import Applied
from ctxadmin.lib.json_texts import unescaped

_QUOTED: Final = 48


def effect_sentences(
    head: Conversation, wanted: str, chosen: Runs, applied: Applied, *, pairs: bool
) -> Sequence[str]:
    """What goes, what goes along with it, and what stays, with the first and last words of each.

    With ``pairs`` a replaced message has tool calls with results.
    """
    words = _quotes(head, [*_ends(applied.hidden), *_kept_ends(applied)])
    kept = applied.visible_count - run_sets.count(applied.added)
    hidden = chosen if wanted == "replace" else applied.hidden
    going = going_sentences(wanted, chosen, hidden, words)
    calls = _calls_sentences(chosen, applied) if wanted == "replace" and pairs else []
    return [*going, *calls, _staying(kept, _kept_ends(applied), words)]


def _calls_sentences(chosen: Runs, applied: Applied) -> list[str]:
    """What becomes of the tool calls of a message that a new text replaces."""
    if len(applied.entries) > 1:
        return [_("Its tool calls and their results stay, behind the new text.")]
    results = run_sets.difference(applied.hidden, chosen)
    gone = _("Its tool calls are removed, with their results: %(places)s.")
    return [gone % {"places": format_runs(results)}] if results else []


def going_sentences(
    wanted: str, chosen: Runs, hidden: Runs, words: Mapping[int, str] | None = None
) -> list[str]:
    """What happens, in words: first what was asked for, then what goes along with it."""
    words = words or {}
    count = run_sets.count(hidden)
    values = {"n": count, "places": _places(hidden, words)}
    if wanted == "keep_from":
        first = chosen[0][0] if chosen else 0
        if not count:
            return [
                _("Everything from #%(first)s on stays; no visible message is before it.")
                % {"first": first}
            ]
        text = ngettext(
            "Everything from #%(first)s on stays. "
            "%(n)s message before it will be hidden: %(places)s.",
            "Everything from #%(first)s on stays. "
            "%(n)s messages before it will be hidden: %(places)s.",
            count,
        )
        return [text % (values | {"first": first})]
    if wanted == "replace":
        return [_("%(places)s is replaced. The former message stays in the log.") % values]
    if wanted == "summarize":
        text = ngettext(
            "A summary takes the place of %(n)s message: %(places)s.",
            "A summary takes the place of %(n)s messages: %(places)s.",
            count,
        )
        return [text % values]
    return _hidden_sentences(chosen, hidden, words)


def _hidden_sentences(chosen: Runs, hidden: Runs, words: Mapping[int, str]) -> list[str]:
    asked = run_sets.intersection(hidden, chosen)
    along = run_sets.difference(hidden, chosen)
    count = run_sets.count(asked)
    if not count and not along:
        return [_("No message will be hidden: what is selected is kept.")]
    text = ngettext(
        "%(n)s message will be hidden: %(places)s.",
        "%(n)s messages will be hidden: %(places)s.",
        count,
    )
    sentences = [text % {"n": count, "places": _places(asked, words)}]
    if along:
        more = ngettext(
            "The matching calls and results go with it: %(places)s.",
            "The matching calls and results go with them: %(places)s.",
            count,
        )
        sentences.append(more % {"places": format_runs(along)})
    return sentences


def _staying(count: int, ends: Sequence[int], words: Mapping[int, str]) -> str:
    if not count:
        return _("No message stays.")
    if not ends:
        text = ngettext("%(n)s other message stays.", "%(n)s other messages stay.", count)
        return text % {"n": count}
    runs = run_sets.of_indices(sorted(ends))
    text = ngettext("%(n)s message stays: %(places)s.", "%(n)s messages stay: %(places)s.", count)
    return text % {"n": count, "places": _span(runs, words)}


def _kept_ends(applied: Applied) -> Sequence[int]:
    """The first and the last message of the view; nothing if messages come into it."""
    view = applied.view
    if not len(view) or applied.added:
        return ()
    return sorted({view.index_at(0), view.index_at(len(view) - 1)})


def _ends(runs: Runs) -> Sequence[int]:
    return sorted({runs[0][0], runs[-1][1] - 1}) if runs else ()


def _places(runs: Runs, words: Mapping[int, str]) -> str:
    """``#3–#5, #9, from “Hi” to “Bye”``; without words only the numbers."""
    ends = [words[index] for index in _ends(runs) if index in words]
    places = format_runs(runs)
    if len(ends) == 2:
        values = {"places": places, "first": ends[0], "last": ends[1]}
        return _("%(places)s, from “%(first)s” to “%(last)s”") % values
    return _("%(places)s “%(text)s”") % {"places": places, "text": ends[0]} if ends else places


def _span(runs: Runs, words: Mapping[int, str]) -> str:
    """``#0 “Hi” to #9 “Bye”``, or the one message."""
    named = [
        _("%(places)s “%(text)s”") % {"places": f"#{index}", "text": words.get(index, "")}
        for index in _ends(runs)
    ]
    if len(named) == 1:
        return named[0]
    return _("%(first)s to %(last)s") % {"first": named[0], "last": named[1]}


def _quotes(head: Conversation, indices: Sequence[int]) -> Mapping[int, str]:
    """How some messages begin; a message without a text is named by its calls, else by its role."""
    logged = [index for index in indices if index < head.log_count]
    return {message.index: _quote(message) for message in queries.messages_at(head, logged, View())}


def _quote(message: StoredMessage) -> str:
    found = object_in(message.body)
    text = beginning_of(unescaped(text_of_content(found.get("content"))), _QUOTED)
    calls = found.get("tool_calls")
    objects = [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    names = [call_of(call).name for call in objects]
    return text or ", ".join(filter(None, names)) or message.role
