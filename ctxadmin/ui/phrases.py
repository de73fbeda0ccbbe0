"""What the rules of the domain say in English, in the language of the reader.

Rules know no language: they say one sentence, which the contract answers too. Here are those that
pages show often, each with ``{…}`` where a rule puts in what it speaks of; a test looks that every
one of them is still said somewhere. What is not here is shown in English.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final

from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_noop as _

# What stands before others is tried before them.
PHRASES: Final[Sequence[str]] = (
    _("{text}; did you mean {name}?"),
    # fields, of ctxadmin.lib.contract
    _("this field is required"),
    _("unknown field"),
    _("this must be an object"),
    _("this must be a list"),
    _("this must be a text"),
    _("this must be true or false"),
    _("this must be a whole number"),
    _("this must be a number"),
    _("this must be {least} or more"),
    _("this must be more than {least}"),
    _("this must be {most} or less"),
    _("this must be less than {most}"),
    _("this must have at least {n} characters"),
    _("this must have at most {n} characters"),
    _("this must have at least {n} items"),
    _("this must have at most {n} items"),
    _("this must not be empty"),
    _("this must be {what}"),
    _("an id has 1 to 64 letters, digits, - and _"),
    _("This is not JSON: {why}."),
    _("This JSON is not accepted: {why}."),
    # conversations
    _("one of {options} is required"),
    _("end must be larger than start"),
    _("position {position} is after the last one, {most}"),
    _("position {position} is not in a view of {n}"),
    _("there is no visible message"),
    _("a tool description is hidden now"),
    _("these calls lose a result, which most providers reject"),
    _("these results lose their call, which most providers reject"),
    _("these results do not directly follow their call, which most providers reject"),
    _("these tool results belong to no call"),
    _("The current revision is {current}, not {expected}."),
    _("{n} messages are visible, not {expected}."),
    _("An execution of this conversation is running; pause it first."),
    _("An execution of this conversation has not ended yet."),
    _("The conversation has changed; try again."),
    _("There is no conversation {name}."),
    _("There is no revision {n}."),
    _("The stored conversation {name} is not what was written."),
    _("The stored message {name} is missing."),
    _("The stored message {name} is not what was written."),
    _("The stored revision {name} is missing."),
    _("The stored revision {name} is not what was written."),
    _("The stored version {name} is missing."),
    _("The stored version {name} is not what was written."),
    _("The stored state key {name} is missing."),
    _("The stored state key {name} is not what was written."),
    _("The stored list {name} is missing."),
    _("The stored list {name} is not what was written."),
    _("These fields have changed since: {names}."),
    _("The id {name} is taken."),
    _("only an assistant message has tool_calls"),
    _("only a tool message has a tool_call_id"),
    _("a system message must not be empty"),
    # what an import left out, or warns of
    _("only the first of several answers is imported"),
    _("the message also has tool_calls"),
    _("it belongs to the provider's session and is not a message"),
    _("items of this type are unknown"),
    _("tool approvals are not messages"),
    _("it only separates steps"),
    _("messages of the role data are for pages only"),
    _("only the first list of messages of a run is imported"),
    _("no message was found in it"),
    _("it removes another message and has no content"),
    _("a call needs a name"),
    _("another one of the same trace begins with the same messages"),
    _("it has no messages"),
    _("the call failed"),
    _("this tool result belongs to no call"),
    _("this call has no result, which most providers reject"),
    # executions
    _("The execution is at version {current}, not {expected}."),
    _("This conversation has no execution."),
    _("Another execution has started; review it first."),
    _("There is no version {n} of this execution."),
    _("Already claimed by {who}."),
    _("Claimed by {who}; claim it first."),
    _("Only a paused execution can be claimed."),
    _("there is no reviewer with this name"),
    _("The workflow has no node {name}."),
    _("version {n} was restored"),
    _("Nobody answered in time."),
    _("The retention policy has changed."),
    # workflows: what is wrong with a draft
    _("The draft has changed."),
    _("The workflow has changed."),
    _("There is no workflow {name}."),
    _("There is no version {n}."),
    _("a workflow needs a start node"),
    _("every node has an incoming edge, so the first one is the start: {name}"),
    _("another node has the id {name}"),
    _("another edge has the id {name}"),
    _("{name} cannot be reached from a start node"),
    _("there is no reducer {name}"),
    _("there is no node {name}"),
    _("a loop: {way}"),
    _("{name} is not an edge type"),
    _("a conditional edge needs a condition, or a context_filter of its own"),
    _("this conditional edge has no condition of its own, so it is always taken"),
    _("a pattern must not be empty"),
    _("a selective filter needs a pattern"),
    _("a conditional filter needs a condition"),
    _("a transform filter needs a transform rule"),
    _("a transform or a rename is needed"),
    _("a transform rule names a transform"),
    _("the condition is empty"),
    _("unknown name {name}"),
    _("expected a name or a value"),
    _("expected an operator such as === or &&"),
    _("unexpected character {sign}"),
    _("this text is not closed"),
    _("{node} would see neither a variable nor a message."),
    _("{node} would see neither a tool or function variable nor an unanswered call."),
    _(
        "A model would reject what {node} sees: calls without their results, or results without "
        "their calls."
    ),
    # workflows: why a node sees something or does not
    _("role {role}: {rest}"),
    _("{rest}; {rule} is skipped: its condition is false"),
    _("{what}, the default is pass"),
    _("{what}, the default is block"),
    _("include rule {n} {pattern} of filter {filter} matches"),
    _("exclude rule {n} {pattern} of filter {filter} matches"),
    _("include rule {n} {pattern} matches"),
    _("exclude rule {n} {pattern} matches"),
    _("operation {n} ({name}) hides it"),
    _("operation {n} ({name}) shows it"),
    _("operation {n} ({name}) inserts it"),
    _("no rule mentions it"),
    _("there are no rules"),
    _("no rule mentions {section}"),
    _("no rule excludes it"),
    _("{name} does not change it"),
    _("{name} shows the {what} {patterns}"),
    _("{name} passes everything"),
    _("{name} passes the template only"),
    _("llm_context shows the history without a true toolCall or tool_call"),
    _("human_context shows the history with humanInteraction or human_interaction"),
    _("system_context shows no history"),
    _("no include pattern matches"),
    _("no exclude pattern matches"),
    _("pass_none passes the template only"),
    _("the edge's patterns do not apply to messages"),
    _("the condition {condition} is false"),
    _("the condition holds: {condition}"),
    _("the condition does not hold: {condition}"),
    _("the node failed"),
    _("taken only when the node fails"),
    _("no condition"),
    _("the node has a different template"),
    _("the messages are in a different order"),
    _("a filter inserts this message"),
    # requests that are refused before they are read
    _("The body is larger than {n} bytes."),
    _("A body of more than {n} bytes needs a token or a session."),
    _("The body did not arrive in time."),
    _("Too many large bodies are being sent; try again."),
    _("You are sending too many large bodies at once; try again."),
    _("Too many of your requests are in progress; try again in {n} s."),
    _("Too many requests in a short time; try again in {n} s."),
    # what a refusal is called, of ctxadmin.http.problems
    _("Invalid input"),
    _("Position out of range"),
    _("Type mismatch"),
    _("Missing context"),
    _("Not found"),
    _("Not possible in this status"),
    _("Changed while you were editing"),
    _("Already taken"),
    _("Not allowed"),
    _("Too large"),
    _("Request timeout"),
    _("Too many requests"),
    _("Damaged data"),
    _("Temporarily unavailable"),
    _("Something went wrong"),
)
_GAP: Final = re.compile(r"\\\{(\w+)\\\}")
_DEEPEST: Final = 4
_LONGEST: Final = 1_000  # what is longer holds data, and gaps are looked for at every place


def in_the_readers_language(text: str) -> str:
    """``text`` translated if a rule is known to say it, else as it is."""
    return _told(get_language() or "", text, 0)


@lru_cache(maxsize=4096)
def _told(language: str, text: str, depth: int) -> str:
    """What stands in the gaps may be a phrase again; the language is there for the cache."""
    if language.startswith("en") or depth > _DEEPEST or len(text) > _LONGEST:
        return text
    for phrase, pattern in _patterns():
        found = pattern.fullmatch(text)
        if found is not None:
            parts = {
                name: _told(language, part, depth + 1) for name, part in found.groupdict().items()
            }
            return gettext(phrase).format(**parts)
    return text


@cache
def _patterns() -> Sequence[tuple[str, re.Pattern[str]]]:
    def gap(found: re.Match[str]) -> str:
        return rf"(?P<{found[1]}>.+?)"

    return [(phrase, re.compile(_GAP.sub(gap, re.escape(phrase)), re.DOTALL)) for phrase in PHRASES]
