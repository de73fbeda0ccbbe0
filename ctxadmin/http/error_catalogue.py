"""Every error code of the contract: what it means, and what its reader can do."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Text = str | Promise


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """One code; ``fields`` are the members that a problem of this code adds."""

    code: str
    status: int
    meaning: Text
    remedy: Text
    fields: tuple[tuple[str, Text], ...] = ()


_ERRORS: Final = ("errors", _("what is wrong, with a pointer to each place of the input"))

_ALL: Final = (
    ErrorCode(
        "validation",
        422,
        _("The input does not have the form that the contract asks for."),
        _(
            "Correct the places that errors names and send it again; nothing was changed. "
            "The status is 400 when the text could not be read as JSON or YAML at all."
        ),
        (
            _ERRORS,
            (
                "line, column, start, end, hint",
                _("where a condition or a YAML text is wrong, lines and columns from 1"),
            ),
        ),
    ),
    ErrorCode(
        "out_of_range",
        422,
        _("A position, an index or a boundary lies outside of what exists."),
        _("Read the current count and choose a number within it."),
        (_ERRORS,),
    ),
    ErrorCode(
        "type_mismatch",
        422,
        _("A value's type does not fit the reducer of its state key."),
        _("Send a value of the type that the reducer takes, or replace the key with $replace."),
        (("key", _("the state key")), _ERRORS),
    ),
    ErrorCode(
        "incompatible_context",
        422,
        _("What the node would see lacks what it needs, or a model would reject the messages."),
        _("Look at what filters dropped (preview explains it), or add what is missing."),
        (
            ("missing", _("what the node misses")),
            ("indices", _("log indices of the messages that do not fit together")),
        ),
    ),
    ErrorCode(
        "not_found",
        404,
        _("The thing named does not exist, or belongs to another workspace."),
        _("Check the path, and in which workspace the token or the session is."),
    ),
    ErrorCode(
        "invalid_state",
        409,
        _("Not possible in this status now."),
        _("Read the status, and bring it to where this is allowed, e.g. pause first."),
        (
            ("status_now", _("the status, if it is that of an execution")),
            ("ready_nodes", _("the nodes that can be completed, if another one was named")),
            ("held_by", _("who has a lease of the node, with until when")),
        ),
    ),
    ErrorCode(
        "version_conflict",
        409,
        _("It has changed since the version that the writer saw."),
        _("Read it again, merge the two changes, and write with the new version."),
        (
            ("expected", _("the version that the writer saw")),
            ("actual", _("the version that is there")),
            ("changed_keys", _("the state keys that changed in between")),
        ),
    ),
    ErrorCode(
        "duplicate",
        409,
        _("The name, id or key is taken, or was used with another body."),
        _("Choose another one; to repeat a call, send the same body again."),
        (_ERRORS,),
    ),
    ErrorCode(
        "forbidden",
        403,
        _("The caller may see this, but its role or scopes do not allow the change."),
        _("Ask an administrator for a role or a token with the scope that is named."),
    ),
    ErrorCode(
        "too_large",
        413,
        _("A body, a message, the state or the work asked for is over its limit."),
        _("Send less at once; the limit is named. For headers the status is 431."),
        (("limit", _("the limit in bytes, keys or units of work")), _ERRORS),
    ),
    ErrorCode(
        "damaged",
        409,
        _("What is stored is not what was written, so it is not shown; nothing was changed."),
        _(
            "Repeating it will not help. An administrator finds all damage with manage.py verify "
            "and restores the conversation from a backup."
        ),
        (
            ("what", _("the kind of row, e.g. message or state key")),
            ("place", _("its number or name")),
        ),
    ),
    ErrorCode(
        "unavailable",
        503,
        _("A store does not answer; nothing was changed."),
        _("Try again after the seconds of the header Retry-After."),
    ),
    ErrorCode(
        "unauthenticated",
        401,
        _("There is no valid token or session."),
        _("Send the header Authorization: Bearer and a token that is neither revoked nor expired."),
    ),
    ErrorCode(
        "method_not_allowed",
        405,
        _("The path exists, but not for this method."),
        _("Use one of the methods of the header Allow."),
    ),
    ErrorCode(
        "not_acceptable",
        406,
        _("The Accept header asks for a form that this path does not have."),
        _("Accept application/json, or leave the header away."),
    ),
    ErrorCode(
        "unsupported_media_type",
        415,
        _("The body has a content type that this path does not read."),
        _("Send application/json, not compressed."),
    ),
    ErrorCode(
        "request_timeout",
        408,
        _("The request did not arrive in time; nothing was changed."),
        _("Send it again over a connection that is fast enough; the connection was closed."),
    ),
    ErrorCode(
        "rate_limited",
        429,
        _("The caller has too many requests under way, or sent too many in a short time."),
        _("Wait the seconds of the header Retry-After."),
    ),
    ErrorCode(
        "internal",
        500,
        _("An unexpected error; it was logged."),
        _("Report it with the header X-Request-ID of the answer."),
    ),
)

CATALOGUE: Final[Mapping[str, ErrorCode]] = {each.code: each for each in _ALL}
