"""The base of every model of the contract, and the parser of input for it."""

import difflib
import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Final, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    GetJsonSchemaHandler,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, ErrorDetails, PydanticCustomError

from ctxadmin.lib.errors import KINDS, FieldProblem, TooLarge, ValidationFailed
from ctxadmin.lib.ids import PATTERN
from ctxadmin.lib.sentence import Sentence, say

_MOST_PROBLEMS: Final = 100
# More are not looked at one by one: a million of them took 8 s and 0.9 GB.
_MOST_ERRORS: Final = 10_000
# What pydantic says is English for programmers, and shown to people in forms: by the type of its
# error, of what it tells with it.
_SENTENCES: Final[Mapping[str, Callable[[Mapping[str, Any]], Sentence]]] = {
    "extra_forbidden": lambda ctx: say("unknown field"),
    "content_type": lambda ctx: say(
        "content is a text, a list of parts, or null beside tool_calls"
    ),
    "missing": lambda ctx: say("this field is required"),
    "model_type": lambda ctx: say("this must be an object"),
    "dict_type": lambda ctx: say("this must be an object"),
    "list_type": lambda ctx: say("this must be a list"),
    "tuple_type": lambda ctx: say("this must be a list"),
    "string_type": lambda ctx: say("this must be a text"),
    "bool_type": lambda ctx: say("this must be true or false"),
    "int_type": lambda ctx: say("this must be a whole number"),
    "int_from_float": lambda ctx: say("this must be a whole number"),
    "float_type": lambda ctx: say("this must be a number"),
    "greater_than_equal": lambda ctx: say("this must be {least} or more", least=_short(ctx["ge"])),
    "greater_than": lambda ctx: say("this must be more than {least}", least=_short(ctx["gt"])),
    "less_than_equal": lambda ctx: say("this must be {most} or less", most=_short(ctx["le"])),
    "less_than": lambda ctx: say("this must be less than {most}", most=_short(ctx["lt"])),
    "literal_error": lambda ctx: say("this must be {what}", what=_any_of(ctx["expected"])),
    "string_too_short": lambda ctx: say(
        "this must have at least {n} characters", n=ctx["min_length"]
    ),
    "string_too_long": lambda ctx: say(
        "this must have at most {n} characters", n=ctx["max_length"]
    ),
    "too_short": lambda ctx: say("this must have at least {n} items", n=ctx["min_length"]),
    "too_long": lambda ctx: say("this must have at most {n} items", n=ctx["max_length"]),
}


def _short(bound: object) -> object:
    """Returns a bound as people write it: 1 for 1.0."""
    return int(bound) if isinstance(bound, float) and bound.is_integer() else bound


def _any_of(listed: str) -> str:
    """Returns pydantic's list ``'a', 'b' or 'c'`` with an *or* that can be translated."""
    others, found, last = listed.rpartition(" or ")
    return say("{others} or {last}", others=others, last=last) if found else listed


ModelT = TypeVar("ModelT")

# The name of a field -> what else it is called on input, of all models: a problem is reported at
# the spelling that the caller used.
_further_spellings: dict[str, set[str]] = {}


# Making one takes longer than reading a small body does.
_adapters: dict[object, TypeAdapter[Any]] = {}


class DescribedBy:
    """Marks a field that is parsed as its type and described as ``model``.

    ``messages: Annotated[list[dict[str, JsonValue]], DescribedBy(list[Message])]`` stays JSON until
    the domain parses it, and its JSON Schema is the model's.
    """

    def __init__(self, model: Any) -> None:  # a model or another type that pydantic knows
        self.model = model

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return handler(TypeAdapter(self.model).core_schema)


class Contract(BaseModel):
    """A frozen, strict model of one object of the contract.

    Field names are snake_case; the camelCase spelling is accepted on input, both in one object are
    refused, null means missing, unknown fields are refused. The keys of data (metadata, variables,
    state) are never changed. ``spellings`` lists further input names. Source: semantics.md, the
    introduction before section 1.
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, validate_by_name=True, validate_by_alias=True
    )
    spellings: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        for spelled, name in _input_names(cls).items():
            if spelled not in (name, to_camel(name)):
                _further_spellings.setdefault(name, set()).add(spelled)

    @model_validator(mode="before")
    @classmethod
    def _one_spelling(cls, data: Any) -> Any:  # pydantic hands over whatever came in
        if not isinstance(data, dict):
            return data
        known = _input_names(cls)
        if len(data) > len(known) + _MOST_PROBLEMS and cls.model_config.get("extra") == "forbid":
            raise PydanticCustomError(
                "validation",
                "{text}",
                {"text": say("this object has too many fields: {count}", count=len(data))},
            )
        result: dict[str, object] = {}
        first_spelling: dict[str, str] = {}
        for key, value in data.items():
            name = known.get(key, key) if isinstance(key, str) else key
            if name in known and value is None:
                continue
            if name in result:
                message = say(
                    "{first} and {second} are two spellings of one field",
                    first=first_spelling[name],
                    second=key,
                )
                raise PydanticCustomError("validation", "{text}", {"text": message})
            result[name] = value
            first_spelling[name] = key
        return result


@functools.cache  # asked once per object: without it reading 30,000 objects took 1.2 s
def _input_names(model: type[Contract]) -> dict[str, str]:
    """Returns every accepted input spelling of a model's fields -> the name that pydantic reads."""
    names: dict[str, str] = {}
    for field, info in model.model_fields.items():
        name = info.alias or field
        names |= {name: name, to_camel(name): name, field: name}
    return names | dict(model.spellings)


def parse(target: type[ModelT] | TypeAdapter[ModelT], data: object, pointer: str = "") -> ModelT:
    """Parses ``data`` (parsed JSON) as ``target``; ``pointer`` is its place in the input.

    Raises ValidationFailed with one problem per wrong field, pointers in the caller's spelling;
    TooLarge if the first of them is.
    """
    adapter = target if isinstance(target, TypeAdapter) else _adapter(target)
    try:
        return adapter.validate_python(data)
    except ValidationError as error:
        count = error.error_count()
        if count > _MOST_ERRORS:
            raise ValidationFailed.at(
                pointer, say("{count} values in it are wrong", count=count)
            ) from None
        details = error.errors(include_url=False, include_input=False)
        problems = [_problem(detail, data, pointer) for detail in details[:_MOST_PROBLEMS]]
        if problems[0].code == TooLarge.code:
            limit = details[0].get("ctx", {})["limit"]
            raise TooLarge(problems[0].message, limit=limit, problems=problems) from None
        raise ValidationFailed(_summary(problems), problems=problems) from None


def _adapter(target: type[ModelT]) -> TypeAdapter[ModelT]:
    known = _adapters.get(target)
    if known is None:
        known = _adapters[target] = TypeAdapter(target)
    return known


def _problem(detail: ErrorDetails, data: object, prefix: str) -> FieldProblem:
    kind = detail["type"]
    context = detail.get("ctx", {})
    message = _sentence(kind, context, detail["msg"])
    code = kind if kind in KINDS else "validation"
    pointer = prefix + _pointer(detail["loc"], data, missing=kind == "missing")
    extra = context.get("extra", ()) if code == kind else ()
    return FieldProblem(pointer, message, code, tuple(extra))


def _sentence(kind: str, context: Mapping[str, Any], message: str) -> str:
    if kind == "value_error" or (kind == "validation" and "error" in context):
        return _text_of(context.get("error"), message)
    if kind == "string_pattern_mismatch":
        if context["pattern"] == f"^{PATTERN}$":
            return say("an id has 1 to 64 letters, digits, - and _")
        return say("this does not match {pattern}", pattern=context["pattern"])
    if kind in ("string_too_short", "too_short") and context["min_length"] == 1:
        return say("this must not be empty")
    if isinstance(text := context.get("text"), Sentence):
        return text
    return _SENTENCES[kind](context) if kind in _SENTENCES else message


def _text_of(error: object, message: str) -> str:
    """Returns what a validator raised: the sentence itself, which ``str`` would make plain text."""
    if isinstance(error, ValueError) and error.args and isinstance(error.args[0], Sentence):
        return error.args[0]
    return message if error is None else str(error)


def _pointer(location: tuple[int | str, ...], data: object, *, missing: bool) -> str:
    """Returns the JSON pointer of a pydantic location.

    A location also has the tags of unions, which are not keys of the input: a step that the input
    lacks is omitted, unless it is the field whose absence is the problem.
    """
    parts: list[str] = []
    here: object = data
    for position, step in enumerate(location):
        last = position == len(location) - 1
        if isinstance(here, list) and isinstance(step, int):
            parts.append(str(step))
            here = here[step] if step < len(here) else None
        elif isinstance(here, dict):
            key = _spelling(step, here)
            if key is not None:
                parts.append(key.replace("~", "~0").replace("/", "~1"))
                here = here[key]
            elif last and missing:
                parts.append(str(step))
    return "".join(f"/{part}" for part in parts)


def _spelling(step: int | str, here: Mapping[str, object]) -> str | None:
    text = str(step)
    for candidate in (text, to_camel(text)):
        if candidate in here:
            return candidate
    return next((each for each in _further_spellings.get(text, ()) if each in here), None)


def _summary(problems: list[FieldProblem]) -> str:
    first = problems[0]
    if len(problems) == 1 and not first.pointer:
        return first.message
    text = first.message
    if first.pointer:
        text = say("{place}: {message}", place=first.pointer, message=text)
    if len(problems) > 1:
        text = say("{text} (and {count} more)", text=text, count=len(problems) - 1)
    return text


def did_you_mean(text: str, word: str, known: Iterable[str]) -> str:
    """Returns ``text``, with ``; did you mean 'x'?`` if one of ``known`` is close to ``word``."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return say("{text}; did you mean {name}?", text=text, name=repr(close[0])) if close else text
