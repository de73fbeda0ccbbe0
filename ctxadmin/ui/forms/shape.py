"""The shape of a contract model for forms, read from the model's JSON Schema."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache
from typing import Final, TypeAlias, cast

from pydantic import JsonValue
from pydantic.alias_generators import to_camel

from ctxadmin.lib.contract import Contract
from ctxadmin.ui.forms.hints import FieldHint, Hints

_DEEPEST: Final = 6

Schema: TypeAlias = dict[str, JsonValue]


class LeafKind(Enum):
    """The kind of a leaf."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    CHOICE = "choice"
    CHOICES = "choices"
    LINES = "lines"
    JSON = "json"
    CONSTANT = "constant"


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value; limits are those of the schema, None without one.

    ``mixed`` is a text that can also be JSON (a content that is a text or a list of parts).
    """

    kind: LeafKind
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    max_length: int | None = None
    constant: JsonValue = None
    mixed: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """An object with named members.

    ``left_out`` are those that the form does not show; ``is_open`` means that others are kept.
    """

    members: tuple["FormMember", ...]
    left_out: tuple[str, ...] = ()
    is_open: bool = False
    contract: type[Contract] | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """A list of objects."""

    item: "Group | Variants"
    least: int = 0
    most: int = 200


@dataclass(frozen=True, slots=True)
class Variants:
    """One of several objects, distinguished by the member ``tag``."""

    tag: str
    options: Mapping[str, Group]


Shape: TypeAlias = Leaf | Group | Rows | Variants


@dataclass(frozen=True, slots=True)
class FormMember:
    """A named part of a group; ``default`` is its JSON value when it is missing."""

    name: str
    shape: Shape
    required: bool = False
    nullable: bool = False
    default: JsonValue = None
    hint: FieldHint = field(default_factory=FieldHint)


def member_of(known: Mapping[str, JsonValue], name: str) -> JsonValue:
    """Returns a member of an object in either spelling; None if it is missing."""
    return known[name] if name in known else known.get(to_camel(name))


def shape_of(model: type[Contract], hints: Hints, left_out: Sequence[str] = ()) -> Group:
    """Returns the shape of ``model``; ``hints`` and ``left_out`` name members by dotted paths.

    What no form can show in parts (free JSON, unions without a tag, deep nesting) becomes a leaf of
    kind JSON.
    """
    return _Reader(_schema(model), hints, frozenset(left_out)).model(model, "")


@cache
def _schema(model: type[Contract]) -> Schema:
    return cast(Schema, model.model_json_schema(by_alias=True))


class _Reader:
    """Traverses one schema; paths are dotted and have no list indices."""

    def __init__(self, root: Schema, hints: Hints, left_out: frozenset[str]) -> None:
        self.definitions = cast(dict[str, Schema], root.get("$defs", {}))
        self.root = root
        self.hints = hints
        self.left_out = left_out

    def model(self, model: type[Contract], path: str) -> Group:
        return replace(self._group(self.root, path, 0), contract=model)

    def _group(self, schema: Schema, path: str, depth: int, without: str = "") -> Group:
        properties = cast(dict[str, Schema], schema.get("properties", {}))
        required = cast(list[str], schema.get("required", []))
        paths = {name: f"{path}.{name}".lstrip(".") for name in properties if name != without}
        left_out = tuple(name for name, full in paths.items() if full in self.left_out)
        members = tuple(
            self._member(name, properties[name], full, depth, name in required)
            for name, full in paths.items()
            if name not in left_out
        )
        return Group(members, left_out, is_open=schema.get("additionalProperties") is not False)

    def _member(
        self, name: str, schema: Schema, path: str, depth: int, required: bool
    ) -> FormMember:
        hint = self.hints.get(path, FieldHint())
        default = schema.get("default")
        schema, nullable = self._without_null(schema)
        shape = self._shape(schema, path, depth + 1, hint)
        return FormMember(name, shape, required, nullable, default, hint)

    def _without_null(self, schema: Schema) -> tuple[Schema, bool]:
        schema = self._resolved(schema)
        options = cast(list[Schema], schema.get("anyOf", []))
        real = [option for option in options if option.get("type") != "null"]
        if len(real) == len(options):
            return schema, False
        if len(real) == 1:
            return self._resolved(real[0]), True
        return {"anyOf": cast(JsonValue, real)}, True

    def _resolved(self, schema: Schema) -> Schema:
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return schema
        return self._resolved(self.definitions[reference.removeprefix("#/$defs/")])

    def _shape(self, schema: Schema, path: str, depth: int, hint: FieldHint) -> Shape:
        kind = schema.get("type")
        if hint.contract is not None and kind != "array":
            return self._contract(hint.contract, path)
        if "discriminator" in schema and depth <= _DEEPEST:
            return self._variants(schema, path, depth)
        if kind == "object" and "properties" in schema and depth <= _DEEPEST:
            return self._group(schema, path, depth)
        if kind == "array":
            return self._list(schema, path, depth, hint)
        return _leaf(schema, hint)

    def _contract(self, model: type[Contract], path: str) -> Group:
        """Returns the shape of a model where the schema allows any JSON."""
        return _Reader(_schema(model), self.hints, self.left_out).model(model, path)

    def _variants(self, schema: Schema, path: str, depth: int) -> Variants:
        discriminator = cast(Schema, schema["discriminator"])
        tag = cast(str, discriminator["propertyName"])
        mapping = cast(dict[str, str], discriminator["mapping"])
        options = {
            value: self._group(self._resolved({"$ref": ref}), f"{path}.{value}", depth, tag)
            for value, ref in mapping.items()
        }
        return Variants(tag, options)

    def _list(self, schema: Schema, path: str, depth: int, hint: FieldHint) -> Shape:
        item = self._resolved(cast(Schema, schema.get("items", {})))
        least = cast(int, schema.get("minItems", 0))
        most = min(cast(int, schema.get("maxItems", 200)), 1000)
        if hint.contract is not None:
            return Rows(self._contract(hint.contract, path), least, most)
        shape = self._shape(item, path, depth + 1, FieldHint())
        match shape:
            case Group() | Variants():
                return Rows(shape, least, most)
            case Leaf(LeafKind.CHOICE, choices=choices):
                return Leaf(LeafKind.CHOICES, choices=choices)
            case Leaf(LeafKind.TEXT) if hint.choices:
                return Leaf(LeafKind.CHOICES, choices=tuple(value for value, _ in hint.choices))
            case Leaf(LeafKind.TEXT):
                return Leaf(LeafKind.LINES)
            case _:
                return Leaf(LeafKind.JSON)


def _leaf(schema: Schema, hint: FieldHint) -> Leaf:
    if "const" in schema:
        return Leaf(LeafKind.CONSTANT, constant=schema["const"])
    choices = schema.get("enum")
    if isinstance(choices, list) and all(isinstance(choice, str) for choice in choices):
        return Leaf(LeafKind.CHOICE, choices=tuple(cast(list[str], choices)))
    match schema.get("type"):
        case "string" if hint.choices:
            return Leaf(LeafKind.CHOICE, choices=tuple(value for value, _ in hint.choices))
        case "string":
            return Leaf(LeafKind.TEXT, max_length=cast(int | None, schema.get("maxLength")))
        case "integer" | "number" as kind:
            return _number(LeafKind(kind), schema)
        case "boolean":
            return Leaf(LeafKind.BOOLEAN)
    options = cast(list[Schema], schema.get("anyOf", schema.get("oneOf", [])))
    if options and {option.get("type") for option in options} == {"integer", "number"}:
        return Leaf(LeafKind.NUMBER)
    if any(option.get("type") == "string" for option in options) and hint.as_text:
        return Leaf(LeafKind.TEXT, mixed=True)
    return Leaf(LeafKind.JSON)


def _number(kind: LeafKind, schema: Schema) -> Leaf:
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    step = 1 if kind is LeafKind.INTEGER else 0
    if low is None and above is not None:
        low = cast(float, above) + step
    if high is None and below is not None:
        high = cast(float, below) - step
    return Leaf(kind, minimum=cast(float | None, low), maximum=cast(float | None, high))


def find_rows(shape: Shape, path: Sequence[str]) -> tuple[Rows, FormMember] | None:
    """Returns the list at ``path`` (names, row numbers, tags of variants) and its member."""
    member = FormMember("", shape)
    for step in path:
        if isinstance(shape, Rows):
            shape = shape.item
        elif isinstance(shape, Variants) and step in shape.options:
            shape = shape.options[step]
        elif isinstance(shape, Group) and step in (named := {m.name: m for m in shape.members}):
            member = named[step]
            shape = member.shape
        else:
            return None
    return (shape, member) if isinstance(shape, Rows) else None
