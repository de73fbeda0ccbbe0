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


_ERRORS: Final = ("errors", _("the problems, each with a pointer to its place in the input"))

_ALL: Final = (
    ErrorCode(
        "validation",
        422,
        _("The input does not match the contract."),
        _(
            "Fix the places in errors and send it again; nothing was changed. "
            "The status is 400 if the body is not JSON or YAML."
        ),
        (
            _ERRORS,
            (
                "line, column, start, end, hint",
                _("the place in a condition or YAML text; lines and columns count from 1"),
            ),
        ),
    ),
    ErrorCode(
        "out_of_range",
        422,
        _("A position, index or boundary is out of range."),
        _("Read the current count and use a number within it."),
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
        _("The node needs context that it would not see, or a model would reject the messages."),
        _("Check what filters dropped (a preview explains it), or add what is missing."),
        (
            ("missing", _("the missing context")),
            ("indices", _("log indices of the messages that do not fit together")),
        ),
    ),
    ErrorCode(
        "not_found",
        404,
        _("It does not exist, or belongs to another workspace."),
        _("Check the path and the workspace of the token or session."),
    ),
    ErrorCode(
        "invalid_state",
        409,
        _("The current status does not allow this."),
        _("Read the status and change it first, for example by pausing."),
        (
            ("status_now", _("the status of the execution")),
            ("ready_nodes", _("the nodes that can be completed, if another one was named")),
            ("held_by", _("who holds the lease of the node, and until when")),
        ),
    ),
    ErrorCode(
        "version_conflict",
        409,
        _("It has changed since the expected version."),
        _("Read it again, merge the two changes, and write with the new version."),
        (
            ("expected", _("the expected version")),
            ("actual", _("the current version")),
            ("changed_keys", _("the state keys that changed in between")),
        ),
    ),
    ErrorCode(
        "duplicate",
        409,
        _("The name, id or key is taken, or was used with another body."),
        _("Use another one. To repeat a call, send the same body again."),
        (_ERRORS,),
    ),
    ErrorCode(
        "forbidden",
        403,
        _("The caller may see this, but its role or scopes do not allow the change."),
        _("Ask an admin for the role, or for a token with the scope."),
    ),
    ErrorCode(
        "too_large",
        413,
        _("A body, a message, the state or the work of the call exceeds its limit."),
        _("Send less at once. For headers the status is 431."),
        (("limit", _("the limit in bytes, keys or units of work")), _ERRORS),
    ),
    ErrorCode(
        "damaged",
        409,
        _("The stored data is damaged, so it is not shown; nothing was changed."),
        _(
            "Repeating the call does not help. An admin finds all damage with manage.py verify "
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
        _(
            "The server cannot do this now, for example because the database does not respond; "
            "nothing was changed."
        ),
        _("Try again after the number of seconds in the header Retry-After."),
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
        _("This path does not have the format that the Accept header asks for."),
        _("Accept application/json, or omit the header."),
    ),
    ErrorCode(
        "unsupported_media_type",
        415,
        _("This path does not read bodies of this content type."),
        _("Send application/json, not compressed."),
    ),
    ErrorCode(
        "request_timeout",
        408,
        _("The request did not arrive in time; nothing was changed."),
        _("Send it again over a faster connection; this one was closed."),
    ),
    ErrorCode(
        "rate_limited",
        429,
        _("The caller has too many concurrent requests, or sent too many in a short time."),
        _("Wait the number of seconds in the header Retry-After."),
    ),
    ErrorCode(
        "internal",
        500,
        _("An unexpected error; it was logged."),
        _(
            "Repeat the call once after a few seconds. If it fails again, report it with the "
            "header X-Request-ID of the response."
        ),
    ),
)

CATALOGUE: Final[Mapping[str, ErrorCode]] = {each.code: each for each in _ALL}
