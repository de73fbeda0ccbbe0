"""The texts in a JSON value: its keys, strings and numbers."""

from collections.abc import Iterator

from pydantic import JsonValue


def texts_of(value: JsonValue) -> Iterator[str]:
    """Yields texts in order; without recursion, which a value could make deep."""
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, bool) or each is None:
            continue
        elif isinstance(each, int | float):
            yield str(each)
        elif isinstance(each, list):
            pending.extend(reversed(each))
        else:
            for name, inner in reversed(each.items()):
                pending += (inner, name)
