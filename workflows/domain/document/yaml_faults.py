"""What the YAML parser says is wrong with a text, as sentences that pages translate."""

from collections.abc import Mapping
from typing import Final

from ctxadmin.lib.sentence import Sentence, say

_SENTENCES: Final[Mapping[str, Sentence]] = {
    str(each): each
    for each in (
        say("while scanning for the next token"),
        say("while scanning a simple key"),
        say("while scanning a quoted scalar"),
        say("while scanning a block scalar"),
        say("while scanning a plain scalar"),
        say("while scanning a directive"),
        say("while scanning an anchor"),
        say("while scanning an alias"),
        say("while scanning a tag"),
        say("while parsing a quoted scalar"),
        say("while parsing a block collection"),
        say("while parsing a block mapping"),
        say("while parsing a block node"),
        say("while parsing a flow sequence"),
        say("while parsing a flow mapping"),
        say("while parsing a flow node"),
        say("while parsing a node"),
        say("while parsing a tag"),
        say("found a tab character where an indentation space is expected"),
        say("found a tab character that violates indentation"),
        say("found character that cannot start any token"),
        say("found unexpected document indicator"),
        say("found unexpected end of stream"),
        say("found unexpected ':'"),
        say("found unknown escape character"),
        say("found invalid Unicode character escape code"),
        say("found undefined tag handle"),
        say("found unknown directive name"),
        say("found an indentation indicator equal to 0"),
        say("could not find expected ':'"),
        say("did not find expected key"),
        say("did not find expected node content"),
        say("did not find expected '-' indicator"),
        say("did not find expected ',' or ']'"),
        say("did not find expected ',' or '}}'"),
        say("did not find expected hexdecimal number"),
        say("did not find expected comment or line break"),
        say("did not find expected whitespace or line break"),
        say("did not find expected alphabetic or numeric character"),
        say("did not find expected <document start>"),
        say("block sequence entries are not allowed in this context"),
        say("mapping keys are not allowed in this context"),
        say("mapping values are not allowed in this context"),
        say("control characters are not allowed"),
        say("special characters are not allowed"),
    )
}


def fault(context: str | None, problem: str | None) -> str:
    """Returns what is wrong, and within what; the parser's own text where it is not known."""
    if context and problem:
        return say("{within}, {what}", within=_said(context), what=_said(problem))
    return _said(problem or context or "")


def _said(text: str) -> str:
    return _SENTENCES.get(text, text)
