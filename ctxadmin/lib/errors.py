"""The few named errors that every layer uses, each with a stable code."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """One problem at one place of an input.

    ``pointer`` is a JSON pointer (RFC 6901) into the input, "" for the whole of it; ``extra`` has
    what the kind of problem adds, e.g. the line and column of a condition.
    """

    pointer: str
    message: str
    code: str = "validation"
    extra: tuple[tuple[str, object], ...] = ()

    def as_json(self) -> dict[str, object]:
        return {
            "pointer": self.pointer,
            "message": self.message,
            "code": self.code,
            **dict(self.extra),
        }


class ContextError(Exception):
    """A refusal with a stable ``code`` (semantics, "Error kinds"); nothing was changed.

    ``problems`` are the places in the input, ``extra()`` what else the caller needs to continue.
    """

    code: ClassVar[str] = "validation"

    def __init__(self, detail: str, *, problems: Sequence[FieldProblem] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.problems = tuple(problems)

    def extra(self) -> dict[str, object]:
        return {}


class ValidationFailed(ContextError):
    """The input does not have the form that the contract requires.

    ``malformed`` distinguishes text that could not be parsed at all from text with wrong content.
    """

    code = "validation"

    def __init__(
        self, detail: str, *, problems: Sequence[FieldProblem] = (), malformed: bool = False
    ) -> None:
        super().__init__(detail, problems=problems)
        self.malformed = malformed

    @classmethod
    def at(
        cls, pointer: str, message: str, *, code: str = "validation", **extra: object
    ) -> "ValidationFailed":
        """Returns one problem at one place of the input."""
        problem = FieldProblem(pointer, message, code, tuple(extra.items()))
        return cls(message, problems=[problem])


class OutOfRange(ContextError):
    """A position, an index or a boundary is outside of what exists."""

    code = "out_of_range"


class NotFound(ContextError):
    """The named object does not exist, or the caller has no right to see it."""

    code = "not_found"


class InvalidState(ContextError):
    """The status of the execution or conversation does not allow this.

    ``ready_nodes`` are given where a named node is not one of them; ``held_by`` and ``until`` (ISO
    8601) where someone else has a lease of it.
    """

    code = "invalid_state"

    def __init__(
        self,
        detail: str,
        *,
        status: str = "",
        ready_nodes: Sequence[str] | None = None,
        held_by: str = "",
        until: str = "",
        problems: Sequence[FieldProblem] = (),
    ) -> None:
        super().__init__(detail, problems=problems)
        self.status = status
        self.ready_nodes = ready_nodes
        self.held_by = held_by
        self.until = until

    def extra(self) -> dict[str, object]:
        fields: dict[str, object] = {"status_now": self.status} if self.status else {}
        if self.ready_nodes is not None:
            fields["ready_nodes"] = list(self.ready_nodes)
        if self.held_by:
            fields |= {"held_by": self.held_by, "until": self.until}
        return fields


class TypeMismatch(ContextError):
    """The type of a value does not fit the reducer of its key; ``key`` names it."""

    code = "type_mismatch"

    def __init__(self, detail: str, *, key: str, problems: Sequence[FieldProblem] = ()) -> None:
        super().__init__(detail, problems=problems)
        self.key = key

    def extra(self) -> dict[str, object]:
        return {"key": self.key}


class VersionConflict(ContextError):
    """The writer saw an older version; ``changed_keys`` changed since."""

    code = "version_conflict"

    def __init__(
        self,
        detail: str,
        *,
        expected: int | str,
        actual: int | str,
        changed_keys: Sequence[str] = (),
    ) -> None:
        super().__init__(detail)
        self.expected = expected
        self.actual = actual
        self.changed_keys = tuple(changed_keys)

    def extra(self) -> dict[str, object]:
        return {
            "expected": self.expected,
            "actual": self.actual,
            "changed_keys": list(self.changed_keys),
        }


class Duplicate(ContextError):
    """The name, id or key is already taken, or was used with another body."""

    code = "duplicate"


class Forbidden(ContextError):
    """The caller can see this, but its role or scopes do not allow the change."""

    code = "forbidden"


class IncompatibleContext(ContextError):
    """A node would not see what it needs; ``missing`` names it, ``indices`` the messages."""

    code = "incompatible_context"

    def __init__(
        self, detail: str, *, missing: Sequence[str] = (), indices: Sequence[int] = ()
    ) -> None:
        super().__init__(detail)
        self.missing = tuple(missing)
        self.indices = tuple(indices)

    def extra(self) -> dict[str, object]:
        return {"missing": list(self.missing), "indices": list(self.indices)}


class TooLarge(ContextError):
    """A body, a message or the state exceeds ``limit`` bytes, or work exceeds ``limit`` units."""

    code = "too_large"

    def __init__(
        self, detail: str, *, limit: int | None = None, problems: Sequence[FieldProblem] = ()
    ) -> None:
        super().__init__(detail, problems=problems)
        self.limit = limit

    def extra(self) -> dict[str, object]:
        return {} if self.limit is None else {"limit": self.limit}


class Damaged(ContextError):
    """The stored data differs from what was written, so it is not shown.

    ``what`` is the kind of row, ``place`` its number or name.
    """

    code = "damaged"

    def __init__(self, detail: str, *, what: str, place: str) -> None:
        super().__init__(detail)
        self.what = what
        self.place = place

    def extra(self) -> dict[str, object]:
        return {"what": self.what, "place": self.place}


class Unavailable(ContextError):
    """The server cannot do this now; try again after ``retry_after`` seconds."""

    code = "unavailable"

    def __init__(self, detail: str, *, retry_after: int = 2) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


KINDS: tuple[str, ...] = (
    "validation",
    "out_of_range",
    "not_found",
    "invalid_state",
    "type_mismatch",
    "version_conflict",
    "duplicate",
    "forbidden",
    "incompatible_context",
    "too_large",
    "damaged",
    "unavailable",
)
