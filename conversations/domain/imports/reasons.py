"""The reasons why an import left something out, or warns of it; pages translate them."""

from collections.abc import Mapping
from typing import Final

from ctxadmin.lib.sentence import Sentence, say

ANOTHER_ANSWER: Final = say("only the first of several answers is imported")
ALSO_IN_TOOL_CALLS: Final = say("the message also has tool_calls")
OF_A_PAGE: Final = say("this is a UI message; convertToModelMessages makes model messages of it")
OF_THE_SESSION: Final = say("it belongs to the provider's session and is not a message")
UNKNOWN_ITEM: Final = say("items of this type are unknown")
UNKNOWN_PART: Final = say("parts of this type are unknown")
APPROVAL: Final = say("tool approvals are not messages")
ONLY_SEPARATES: Final = say("it only separates steps")
FOR_PAGES: Final = say("messages with the role data are for pages only")
ANOTHER_LIST: Final = say("only the first list of messages of a run is imported")
NO_MESSAGE_FOUND: Final = say("no message was found in it")
REMOVES: Final = say("it removes another message and has no content")
NAMELESS_CALL: Final = say("a call needs a name")
REPEATED: Final = say("another one of the same trace begins with the same messages")
WITHOUT_MESSAGES: Final = say("it has no messages")
FAILED: Final = say("the call failed")
ORPHAN: Final = say("this tool result belongs to no call")
UNANSWERED: Final = say("this call has no result, which most providers reject")

# A report waits in a session as JSON, where sentences are plain texts: here they are found again.
BY_TEXT: Final[Mapping[str, Sentence]] = {
    each: each
    for each in (
        ANOTHER_ANSWER,
        ALSO_IN_TOOL_CALLS,
        OF_THE_SESSION,
        UNKNOWN_ITEM,
        UNKNOWN_PART,
        APPROVAL,
        ONLY_SEPARATES,
        FOR_PAGES,
        ANOTHER_LIST,
        NO_MESSAGE_FOUND,
        REMOVES,
        NAMELESS_CALL,
        REPEATED,
        WITHOUT_MESSAGES,
        FAILED,
        ORPHAN,
        UNANSWERED,
    )
}
