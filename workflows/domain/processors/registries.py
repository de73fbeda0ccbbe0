"""Context processors and transforms by name, and the step that applies a processor."""

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue, TypeAdapter, ValidationError

from conversations.domain.operations import compare
from conversations.domain.view import View
from ctxadmin.lib.errors import ContextError, ValidationFailed
from ctxadmin.lib.sentence import say
from workflows.domain.context.differences import differences
from workflows.domain.context.explain import Label, Step, StepNotice, StepOutcome
from workflows.domain.context.prompt_context import HistoryEntryInput, NodeInput, PromptContext
from workflows.domain.context.transforms import BUILTIN_TRANSFORMS, Transform
from workflows.domain.processors.builtin import BUILTIN_PROCESSORS, REASONS, Processor
from workflows.domain.processors.registry import Discover, Registry
from workflows.domain.selection.message_view import label_warnings

PROCESSOR_GROUP: Final = "ctxadmin.processors"
TRANSFORM_GROUP: Final = "ctxadmin.transforms"

_JSON: Final[TypeAdapter[JsonValue]] = TypeAdapter(JsonValue)


@dataclass(frozen=True, slots=True)
class Registries:
    """The processors and the transforms that filters are checked and compiled against."""

    processors: Registry[Processor]
    transforms: Registry[Transform]

    @classmethod
    def build(
        cls,
        processors: Discover | None = None,
        transforms: Discover | None = None,
    ) -> "Registries":
        """Returns registries of the builtins and of the given entry points (None: the installed
        ones).
        """
        return cls(
            Registry("processor", BUILTIN_PROCESSORS, PROCESSOR_GROUP, _adopted, processors),
            Registry(
                "transform", BUILTIN_TRANSFORMS, TRANSFORM_GROUP, _adopted_transform, transforms
            ),
        )


@functools.cache
def standard() -> Registries:
    """Returns the registries of this process: the builtins and those of installed packages."""
    return Registries.build()


def _adopted_transform(name: str, function: Transform) -> Transform:
    """Returns a package's transform whose failures and results are named and checked."""

    @functools.wraps(function)
    def checked(value: JsonValue) -> JsonValue:
        try:
            return _JSON.validate_python(function(value), strict=True)
        except ValidationError:
            raise _failed("transform", name, "its result is not JSON") from None
        except Exception as error:
            raise _failed("transform", name, _described(error)) from error

    return checked


def _adopted(name: str, function: Processor) -> Processor:
    """Returns a package's processor whose failures and results are named and checked."""

    @functools.wraps(function)
    def checked(node_input: NodeInput, config: Mapping[str, JsonValue]) -> NodeInput:
        try:
            result = function(node_input, config)
        except ContextError:
            raise
        except Exception as error:
            raise _failed("processor", name, _described(error)) from error
        fault = _fault_of(result, node_input)
        if fault:
            raise _failed("processor", name, fault)
        return result

    return checked


def _failed(kind: str, name: str, what: str) -> ValidationFailed:
    return ValidationFailed(
        say("the {kind} {name} failed: {what}", kind=kind, name=repr(name), what=what)
    )


def _described(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _fault_of(result: object, node_input: NodeInput) -> str | None:
    """Returns what is wrong with a processor's result: it can have only data, and only given
    messages.
    """
    if not isinstance(result, NodeInput) or not isinstance(result.context, PromptContext):
        return "its result is not a NodeInput"
    if result.messages.log is not node_input.messages.log:
        return "it put in messages of its own"
    try:
        View.from_runs(result.messages.view.runs, len(node_input.messages.log))
    except ValueError as error:
        return f"its view of the messages is wrong: {error}"
    try:
        for value in _new_data(result.context, node_input.context):
            _JSON.validate_python(value, strict=True)
    except (ValidationError, TypeError, AttributeError):
        return "its result is not JSON"
    return None


def _new_data(result: PromptContext, given: PromptContext) -> Iterator[object]:
    """Returns everything in a result that was not in the processor's input."""
    old_values = {id(value) for value in (*given.variables.values(), *given.metadata.values())}
    old_entries = {id(entry) for entry in given.history}
    if not isinstance(result.template, str):
        raise TypeError("the template is not text")
    for names in (result.variables, result.metadata):
        yield {name: value for name, value in names.items() if id(value) not in old_values}
        yield dict.fromkeys(names)
    for entry in result.history:
        if id(entry) not in old_entries:
            yield HistoryEntryInput.model_validate(entry.as_json()).model_dump()


def processor_step(
    name: str,
    registries: Registries,
    *,
    config: Mapping[str, JsonValue] | None = None,
    pointer: str = "",
) -> Step:
    """Returns a step that applies a processor.

    An unknown name raises ValidationFailed at ``pointer``.

    The step explains itself by the differences that it makes. Source: semantics 2.12, 2.13.
    """
    processor = registries.processors.get(name, pointer)
    given = {} if config is None else config
    reasons = REASONS.get(name, {})

    def step(node_input: NodeInput, label: Label, explain: bool) -> StepOutcome:
        seen = processor(node_input, given)
        decisions = tuple(differences(node_input, seen, name, reasons, label)) if explain else ()
        return StepOutcome(seen, decisions, _warnings(node_input, seen, label))

    return step


def _warnings(node_input: NodeInput, seen: NodeInput, label: Label) -> tuple[StepNotice, ...]:
    before, after = node_input.messages.view, seen.messages.view
    if not after or after == before:
        return ()
    return label_warnings(compare(before, after, node_input.messages.log).warnings, label)
