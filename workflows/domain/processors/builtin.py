"""The ten node context types as processors, and the reasons that they give."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from pydantic import JsonValue

from ctxadmin.lib.sentence import say
from workflows.domain.conditions.values import is_true
from workflows.domain.context.explain import SECTIONS, Section
from workflows.domain.context.prompt_context import HistoryEntry, NodeInput
from workflows.domain.selection.patterns import PatternSet

LLM_NAMES: Final = ("llm", "prompt", "model", "llm.*", "prompt.*", "model.*")
TOOL_NAMES: Final = ("tool.*", "function.*")
HUMAN_NAMES: Final = ("user.*", "human.*", "input.*")
SYSTEM_NAMES: Final = ("system.*", "config.*", "env.*")

_LLM: Final = PatternSet(LLM_NAMES)
_TOOL: Final = PatternSet(TOOL_NAMES)
_HUMAN: Final = PatternSet(HUMAN_NAMES)
_SYSTEM: Final = PatternSet(SYSTEM_NAMES)

Config = Mapping[str, JsonValue]

# What a node of such a type sees of its input; the mapping is the node's config. Pure: neither may
# be changed, ``dataclasses.replace`` makes the new input, ``Messages.with_view`` narrows messages.
Processor = Callable[[NodeInput, Config], NodeInput]


def _everything(node_input: NodeInput, config: Config) -> NodeInput:
    """Passes everything; the node's own filter decides."""
    return node_input


def _nothing(node_input: NodeInput, config: Config) -> NodeInput:
    """Passes the template only."""
    return node_input.template_only()


def _llm_context(node_input: NodeInput, config: Config) -> NodeInput:
    """Passes what a model needs: its variables, the history without tool calls, all messages."""
    return _narrowed(node_input, _LLM, lambda entry: not _marked(entry, "toolCall", "tool_call"))


def _tool_context(node_input: NodeInput, config: Config) -> NodeInput:
    """Passes what a tool needs: the variables of tools and functions."""
    return _narrowed(node_input, _TOOL, lambda entry: True)


def _human_context(node_input: NodeInput, config: Config) -> NodeInput:
    """Passes what a person needs: their variables and the history of what people did."""
    return _narrowed(
        node_input, _HUMAN, lambda entry: _marked(entry, "humanInteraction", "human_interaction")
    )


def _system_context(node_input: NodeInput, config: Config) -> NodeInput:
    """Passes what the system needs: variables and metadata of system, config and env, no
    history.
    """
    narrowed = _narrowed(node_input, _SYSTEM, lambda entry: False)
    metadata = _matching(node_input.context.metadata, _SYSTEM)
    return replace(narrowed, context=replace(narrowed.context, metadata=metadata))


def _narrowed(
    node_input: NodeInput, names: PatternSet, remembers: Callable[[HistoryEntry], bool]
) -> NodeInput:
    context = replace(
        node_input.context,
        variables=_matching(node_input.context.variables, names),
        history=tuple(entry for entry in node_input.context.history if remembers(entry)),
    )
    return replace(node_input, context=context)


def _matching(values: Mapping[str, JsonValue], names: PatternSet) -> dict[str, JsonValue]:
    return {name: values[name] for name in values if names.matches(name)}


def _marked(entry: HistoryEntry, *marks: str) -> bool:
    """Returns whether one of these keys of the entry's metadata is true, as in a condition."""
    return any(is_true(entry.metadata.get(mark)) for mark in marks)


BUILTIN_PROCESSORS: Final[Mapping[str, Processor]] = MappingProxyType(
    {
        "pass_through": _everything,
        "filter_in": _nothing,
        "filter_out": _everything,
        "transform": _everything,
        "isolate": _nothing,
        "merge": _everything,
        "llm_context": _llm_context,
        "tool_context": _tool_context,
        "human_context": _human_context,
        "system_context": _system_context,
    }
)


def _reasons(name: str, **sections: str) -> Mapping[Section, str]:
    alone = say("not changed ({name})", name=name)
    return {section: sections.get(section, alone) for section in SECTIONS}


def _shows(name: str, patterns: tuple[str, ...], what: str = "variables") -> str:
    return say(
        "{name} shows the {what} {patterns}", name=name, what=what, patterns=", ".join(patterns)
    )


REASONS: Final[Mapping[str, Mapping[Section, str]]] = MappingProxyType(
    {
        **{
            name: dict.fromkeys(SECTIONS, say("everything passes ({name})", name=name))
            for name in ("pass_through", "filter_out", "transform", "merge")
        },
        **{
            name: dict.fromkeys(SECTIONS, say("only the template passes ({name})", name=name))
            for name in ("filter_in", "isolate")
        },
        "llm_context": _reasons(
            "llm_context",
            variables=_shows("llm_context", LLM_NAMES),
            history=say("llm_context shows the history without a true toolCall or tool_call"),
        ),
        "tool_context": _reasons("tool_context", variables=_shows("tool_context", TOOL_NAMES)),
        "human_context": _reasons(
            "human_context",
            variables=_shows("human_context", HUMAN_NAMES),
            history=say(
                "human_context shows the history with humanInteraction or human_interaction"
            ),
        ),
        "system_context": _reasons(
            "system_context",
            variables=_shows("system_context", SYSTEM_NAMES),
            metadata=_shows("system_context", SYSTEM_NAMES, "metadata"),
            history=say("system_context shows no history"),
        ),
    }
)
