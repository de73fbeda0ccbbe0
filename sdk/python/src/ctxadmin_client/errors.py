"""The errors: a class for each error code of REST, and one for a missing answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar


class CtxAdminError(Exception):
    """The base of all errors of this package."""


class NoAnswer(CtxAdminError):
    """The server did not answer, or never completely, in spite of repeats.

    It is unknown whether a write was done: repeat the call with the same id or key.
    """


class OtherWorkflow(CtxAdminError):
    """The conversation has an execution of another workflow than the requested one."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A problem of one field: its JSON pointer in the body, a message, a code."""

    pointer: str
    message: str
    code: str


class Refused(CtxAdminError):
    """The server refused a call and changed nothing.

    ``code`` is the stable error code, ``status`` the HTTP status, ``faults`` are the problems of
    fields, ``problem`` is the whole answer.
    """

    codes: ClassVar[tuple[str, ...]] = ()

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.problem = problem
        self.code = str(problem.get("code") or "unknown")
        self.detail = str(problem.get("detail") or problem.get("title") or f"HTTP {status}")
        super().__init__(f"{self.code}: {self.detail}")

    @property
    def faults(self) -> Sequence[Fault]:
        listed = self.problem.get("errors")
        if not isinstance(listed, list):
            return ()
        return [
            Fault(str(each.get("pointer", "")), str(each.get("message", "")), str(each.get("code")))
            for each in listed
            if isinstance(each, dict)
        ]


class Invalid(Refused):
    """The call is invalid; ``faults`` names the fields."""

    codes = (
        "validation",
        "out_of_range",
        "type_mismatch",
        "method_not_allowed",
        "not_acceptable",
        "unsupported_media_type",
    )


class IncompatibleContext(Refused):
    """A node's filters leave too little context for it; the workflow has to be changed."""

    codes = ("incompatible_context",)


class Unauthenticated(Refused):
    """The token is missing, revoked or has expired."""

    codes = ("unauthenticated",)


class Forbidden(Refused):
    """The token lacks the scope that the call needs."""

    codes = ("forbidden",)


class NotFound(Refused):
    """The token's workspace has no such object."""

    codes = ("not_found",)


class InvalidState(Refused):
    """The status of the execution does not allow this; read the execution again.

    ``held_by`` is the worker with the lease of the node, "" if there is none.
    """

    codes = ("invalid_state",)

    @property
    def held_by(self) -> str:
        return str(self.problem.get("held_by") or "")


class VersionConflict(Refused):
    """Something changed since it was read; ``actual`` is the current version."""

    codes = ("version_conflict",)

    @property
    def actual(self) -> int | None:
        actual = self.problem.get("actual")
        return actual if isinstance(actual, int) else None

    @property
    def changed_keys(self) -> Sequence[str]:
        keys = self.problem.get("changed_keys")
        return [str(key) for key in keys] if isinstance(keys, list) else ()


class Duplicate(Refused):
    """The id is taken, or was used with another body."""

    codes = ("duplicate",)


class Damaged(Refused):
    """Stored data differs from what was written; an administrator has to examine it."""

    codes = ("damaged",)


class TooLarge(Refused):
    """The body, or the work that it causes, exceeds a limit of the server."""

    codes = ("too_large",)


class Busy(Refused):
    """The server could not answer in time, even after all repeats; try again later."""

    codes = ("unavailable", "rate_limited", "request_timeout")


_BY_CODE = {code: kind for kind in Refused.__subclasses__() for code in kind.codes}
_BY_STATUS = {401: Unauthenticated, 403: Forbidden, 404: NotFound, 413: TooLarge, 429: Busy}


def refusal(status: int, problem: Mapping[str, Any]) -> Refused:
    """Returns the error of an answer; for an unknown code, one that fits its status."""
    kind = _BY_CODE.get(str(problem.get("code"))) or _BY_STATUS.get(status)
    return (kind or (Busy if status >= 500 else Refused))(status, problem)
