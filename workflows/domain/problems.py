"""All that is wrong with a draft, so that it can be mended before it is published."""

from collections.abc import Collection

from workflows.domain.elements import Problem, Severity
from workflows.domain.graph import Document
from workflows.domain.processors import Registries

__all__ = ["Problem", "Severity", "check", "refuse_unpublishable"]


def check(
    document: Document,
    registries: Registries | None = None,
    reducers: Collection[str] = (),
    pointer: str = "",
) -> list[Problem]:
    """The problems of a draft, errors first, at most MAX_PROBLEMS; pointers begin with ``pointer``.

    ``registries`` are the process's own unless others are given; ``reducers`` are the names that
    may be used. Source: semantics 2.4-2.7, 1.13, 1.14, 3.2, 3.8.
    """
    raise NotImplementedError


def refuse_unpublishable(problems: list[Problem]) -> None:
    """Raise ValidationFailed with every problem that is an error, if there is one."""
    raise NotImplementedError
