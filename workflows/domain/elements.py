"""What is wrong with one place of a workflow document, and how much that matters."""

from dataclasses import dataclass
from typing import Literal

from ctxadmin.lib.errors import FieldProblem

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a draft (api.md, ``PUT /workflows/{slug}/draft``).

    ``pointer`` is a JSON pointer into the document. An ``error`` refuses publishing, a
    ``warning`` tells of something that is probably not meant, a ``note`` only informs.
    ``extra`` carries what the kind adds, e.g. line and column of a condition.
    """

    pointer: str
    code: str
    message: str
    severity: Severity = "error"
    node: str | None = None
    edge: str | None = None
    extra: tuple[tuple[str, object], ...] = ()

    def as_json(self) -> dict[str, object]:
        """In the contract's spelling; ``node`` and ``edge`` only where they are known."""
        element = {"node": self.node, "edge": self.edge}
        return {
            "pointer": self.pointer,
            "code": self.code,
            "message": self.message,
            "severity": self.severity,
            **{kind: name for kind, name in element.items() if name is not None},
            **dict(self.extra),
        }

    def as_field_problem(self) -> FieldProblem:
        """The same as the refusal of a publication lists it."""
        return FieldProblem(self.pointer, self.message, self.code, self.extra)
