"""A JSON Schema as rows for a reader, and as an example for a form."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import JsonValue

Schema = Mapping[str, Any]
Definitions = Mapping[str, Schema]

_DEEPEST: Final = 5
_PREFIX: Final = "#/components/schemas/"
_SAMPLES: Final[Mapping[str, JsonValue]] = {
    "string": "text",
    "integer": 0,
    "number": 0.5,
    "boolean": False,
}


@dataclass(frozen=True, slots=True)
class SchemaRow:
    """One field; ``depth`` counts from 0 the objects and lists around it."""

    depth: int
    name: str
    kind: str
    required: bool
    text: str


def resolve(schema: Schema, known: Definitions) -> Schema:
    """Returns the schema that a reference names; keywords beside the reference win."""
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return schema
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    return {**known.get(reference.removeprefix(_PREFIX), {}), **beside}


def rows_of(schema: Schema, known: Definitions) -> list[SchemaRow]:
    """Returns the fields of a schema and of its parts, down to a few levels; none of a scalar."""
    return list(_rows(schema, known, 0, ()))


def _rows(
    schema: Schema, known: Definitions, depth: int, within: tuple[str, ...]
) -> Iterator[SchemaRow]:
    name = str(schema.get("$ref", ""))
    if depth > _DEEPEST or (name and name in within):
        return
    here = resolve(schema, known)
    inside = (*within, name) if name else within
    for alternative in _alternatives(here):
        yield from _rows(alternative, known, depth, inside)
    if isinstance(here.get("items"), dict):
        yield from _rows(here["items"], known, depth, inside)
    required = here.get("required", ())
    for field, of_field in here.get("properties", {}).items():
        field_schema = resolve(of_field, known)
        text = str(of_field.get("description") or field_schema.get("description") or "")
        kind = kind_of(of_field, known)
        yield SchemaRow(depth, field, kind, field in required, text.partition("\n\n")[0])
        yield from _rows(of_field, known, depth + 1, inside)


def _alternatives(schema: Schema) -> list[Schema]:
    listed = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf") or []
    return [each for each in listed if isinstance(each, dict)]


def kind_of(schema: Schema, known: Definitions) -> str:
    """Returns the type of a value: ``text``, ``list of numbers``, ``'warn' or 'keep'``."""
    here = resolve(schema, known)
    if "enum" in here:
        return " | ".join(repr(each) for each in here["enum"])
    if "const" in here:
        return repr(here["const"])
    alternatives = _alternatives(here)
    if alternatives:
        return " | ".join(dict.fromkeys(kind_of(each, known) for each in alternatives))
    kind = here.get("type", "any JSON")
    if kind == "array":
        return f"list of {kind_of(here.get('items', {}), known)}"
    return f"{kind}{_limits(here)}"


_BOUNDS: Final = (
    ("minimum", "≥ {}"),
    ("maximum", "≤ {}"),
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("pattern", "{}"),
)


def _limits(schema: Schema) -> str:
    limits = [words.format(schema[name]) for name, words in _BOUNDS if name in schema]
    return f" ({', '.join(limits)})" if limits else ""


def example_of(schema: Schema, known: Definitions, depth: int = 0) -> JsonValue:
    """Returns an example of a schema: what is required, and what has an example of its own."""
    here = resolve(schema, known)
    if here.get("examples"):
        given: JsonValue = here["examples"][0]
        return given
    for name in ("default", "const"):
        if name in here:
            value: JsonValue = here[name]
            return value
    if here.get("enum"):
        first: JsonValue = here["enum"][0]
        return first
    alternatives = [each for each in _alternatives(here) if each.get("type") != "null"]
    if alternatives:
        return example_of(alternatives[0], known, depth)
    kind = here.get("type")
    if kind == "object" and depth <= _DEEPEST:
        fields = here.get("properties", {})
        required = here.get("required", ())
        return {
            field: example_of(field_schema, known, depth + 1)
            for field, field_schema in fields.items()
            if field in required or "examples" in field_schema
        }
    if kind == "array":
        least = int(here.get("minItems", 0))
        return [example_of(here.get("items", {}), known, depth + 1) for _ in range(least)]
    if kind == "object":
        return {}
    number = here.get("minimum", here.get("exclusiveMinimum"))
    if kind == "integer" and isinstance(number, int):
        return number
    return _SAMPLES.get(str(kind), None if kind == "null" else "text")
