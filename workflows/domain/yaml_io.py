"""Workflow documents as YAML (000 section 6.1), read and written without loss."""

from workflows.domain.graph import Document


def load(text: str, *, default_name: str = "") -> Document:
    """The document in a YAML text; ``default_name`` is its name if the text gives none.

    Raises ValidationFailed: each problem has a pointer and, in its extra, line and column.
    """
    raise NotImplementedError


def dump(document: Document) -> str:
    """The document as YAML; loading it gives the same document."""
    raise NotImplementedError
