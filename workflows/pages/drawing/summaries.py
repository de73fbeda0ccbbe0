"""Summaries of filters, operations and settings, for cards, chips and tables."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from pydantic import JsonValue

from conversations.domain.configs import OperationConfig
from ctxadmin.ui.components import Text, Tone, join_line, join_list
from ctxadmin.ui.sentences import translated
from workflows.domain.document.elements import read_edge, read_node
from workflows.domain.document.graph import Edge, Node
from workflows.domain.filters.context_filter import ContextFilter, FilterRule, merge_all
from workflows.domain.filters.context_types import default_behavior, default_context_type
from workflows.domain.filters.edge_filter import EdgeFilter
from workflows.domain.processors.registries import Registries
from workflows.domain.selection.operation_summary import origin_words

_MOST_NAMES: Final = 3
# Of an edge, where its line has the room for them.
_MOST_ON_AN_EDGE: Final = 12
_ROLES: Final = frozenset({"system", "user", "assistant", "tool"})

NODE_TYPE_WORDS: Final[Mapping[str, Text]] = {
    "start": gettext_lazy("Start"),
    "trigger": gettext_lazy("Trigger"),
    "llm": gettext_lazy("Model"),
    "tool": gettext_lazy("Tool"),
    "decision": gettext_lazy("Decision"),
    "routing": gettext_lazy("Routing"),
    "context_processor": gettext_lazy("Context processor"),
    "human_relay": gettext_lazy("Human relay"),
    "user_interaction": gettext_lazy("User interaction"),
    "merge": gettext_lazy("Merge"),
    "join": gettext_lazy("Join"),
    "subworkflow": gettext_lazy("Subworkflow"),
    "end": gettext_lazy("End"),
}

CONTEXT_TYPE_WORDS: Final[Mapping[str, Text]] = {
    "pass_through": gettext_lazy("everything"),
    "filter_in": gettext_lazy("only what its filter includes"),
    "filter_out": gettext_lazy("all but what its filter excludes"),
    "transform": gettext_lazy("everything, transformed"),
    "isolate": gettext_lazy("its template only"),
    "merge": gettext_lazy("the merged context"),
    "llm_context": gettext_lazy("what a model needs"),
    "tool_context": gettext_lazy("what a tool needs"),
    "human_context": gettext_lazy("what a person needs"),
    "system_context": gettext_lazy("what the system needs"),
}

SECTION_WORDS: Final[Mapping[str, Text]] = {
    "variables": gettext_lazy("variables"),
    # Of what nodes did; messages are no part of it.
    "history": gettext_lazy("node history"),
    "metadata": gettext_lazy("metadata"),
    "messages": gettext_lazy("messages"),
}

EDGE_TYPE_WORDS: Final[Mapping[str, Text]] = {
    "sequence": gettext_lazy("sequence"),
    "conditional": gettext_lazy("conditional"),
    "error": gettext_lazy("on error"),
}

_TONES: Final[Mapping[str, Tone]] = {
    "llm": "green",
    "tool": "orange",
    "context_processor": "teal",
    "user_interaction": "purple",
    "human_relay": "purple",
    "decision": "blue",
    "routing": "blue",
    "merge": "blue",
    "join": "blue",
}


# Of static/vendor/icons.svg.
_ICONS: Final[Mapping[str, str]] = {
    "start": "player-play",
    "trigger": "webhook",
    "llm": "sparkles",
    "tool": "tool",
    "decision": "route",
    "routing": "git-fork",
    "context_processor": "transform",
    "human_relay": "user",
    "user_interaction": "message",
    "merge": "arrow-merge",
    "join": "git-merge",
    "subworkflow": "sitemap",
    "end": "player-stop",
}


def icon_of(node_type: str) -> str:
    """Returns the icon of a node's card."""
    return _ICONS.get(node_type, "point")


def tone_of(node_type: str) -> Tone:
    """Returns the color of a node's card."""
    return _TONES.get(node_type, "secondary")


def context_type_of(node: Node) -> str:
    """Returns the context type of a node: its own, else that of its type."""
    return node.context_type or default_context_type(node.type)


def node_filters_line(node: Node, registries: Registries) -> str:
    """Returns a line about a node's own filters and its operation; empty without any."""
    return join_line(_node_chips(node, registries))


def _node_chips(node: Node, registries: Registries) -> list[str]:
    reading = read_node(node, registries, "")
    if reading.operation is not None:
        return [operation_label(reading.operation)]
    if not reading.filters:
        return []
    return filters_chips(reading.filters, default_behavior(context_type_of(node)))


def node_summary(node: Node, registries: Registries) -> dict[str, JsonValue]:
    """Returns the text of a node's card."""
    context_type = context_type_of(node)
    chips: list[JsonValue] = [*_node_chips(node, registries)]
    return {
        "title": node.name or node.id,
        "type_label": node.type,
        "context_label": str(CONTEXT_TYPE_WORDS.get(context_type, context_type)),
        "filter": chips,
    }


def edge_summary(edge: Edge, registries: Registries) -> dict[str, JsonValue]:
    """Returns the texts of an edge's chips, and the same ``whole``, for where they have room."""
    chips: list[JsonValue] = []
    whole: list[JsonValue] = []
    if edge.context_filter is not None:
        own = read_edge(edge, registries, "").edge_filter
        chips += edge_filter_chips(own)
        whole += edge_filter_chips(own, _MOST_ON_AN_EDGE)
    condition = (edge.condition or "").replace("context.", "")
    return {
        "label": str(EDGE_TYPE_WORDS.get(edge.type, edge.type)),
        "chips": chips,
        "whole": whole,
        "condition": _("if %(condition)s") % {"condition": condition} if condition else None,
    }


def unreadable_summary(name: str, *, node: bool) -> dict[str, JsonValue]:
    """Returns the summary of an element of which nothing can be read except its id."""
    if node:
        return {"title": name, "type_label": "", "context_label": "", "filter": []}
    return {"label": "", "chips": [], "whole": [], "condition": None}


def edge_filter_line(edge: Edge, registries: Registries) -> str:
    """Returns a line about an edge's own filter.

    Empty if it passes everything or is the default.
    """
    if edge.context_filter is None:
        return ""
    return join_line(edge_filter_chips(read_edge(edge, registries, "").edge_filter))


def filters_chips(filters: Sequence[ContextFilter], default: str) -> list[str]:
    """Returns chips such as ``last 4``, ``only prompt.*``, ``not *.internal``."""
    merged = merge_all(filters)
    given = any(each.default_behavior is not None for each in filters)
    blocks = (merged.default_behavior if given else default) == "block"
    # Messages first: they are most of what a model sees, and cards cut what comes last.
    parts = [operation_label(each) for each in merged.messages]
    parts += _rule_words(merged.rules, blocks=blocks)
    if not merged.rules and blocks:
        parts.append(_("its template only"))
    return [part for part in parts if part] or [_("everything")]


def _rule_words(rules: Sequence[FilterRule], *, blocks: bool) -> Iterator[str]:
    for section in SECTION_WORDS:
        mine = [rule for rule in rules if rule.target == section]
        named = "" if section == "variables" else str(SECTION_WORDS[section])
        includes = [rule.pattern for rule in mine if rule.type == "include"]
        excludes = [rule.pattern for rule in mine if rule.type == "exclude"]
        changed = [f"{rule.pattern} → {rule.transform}" for rule in mine if rule.transform]
        if includes and blocks:  # else what no pattern names passes, too
            text = _("%(section)s only %(names)s") if named else _("only %(names)s")
            yield text % {"section": named, "names": first_few(includes)}
        elif mine and blocks:
            yield _("no %(section)s") % {"section": SECTION_WORDS[section]}
            continue
        if excludes:
            text = _("%(section)s not %(names)s") if named else _("not %(names)s")
            yield text % {"section": named, "names": first_few(excludes)}
        if changed:
            yield first_few(changed)


def edge_filter_chips(given: EdgeFilter, most: int = _MOST_NAMES) -> list[str]:
    """Returns chips such as ``only error.*``, ``not result.*``, ``last 6``.

    Each names at most so many patterns.
    """
    if given.type == "pass_none":
        return [_("template only")]
    parts: list[str] = []
    if given.condition is not None:
        parts.append(_("if %(condition)s") % {"condition": given.condition})
    if given.include_patterns:
        parts.append(_("only %(names)s") % {"names": first_few(given.include_patterns, most)})
    if given.exclude_patterns:
        parts.append(_("not %(names)s") % {"names": first_few(given.exclude_patterns, most)})
    changed = [
        f"{rule.pattern} → {rule.rename or rule.transform}" for rule in given.transform_rules
    ]
    if changed:
        parts.append(first_few(changed, most))
    parts += [operation_label(each, most) for each in given.messages]
    return [part for part in parts if part]


def operation_label(config: OperationConfig, most: int = _MOST_NAMES) -> str:
    """Returns a label such as ``first 1, last 8``; ``no tool``; ``only user, assistant``."""
    match config.operation:
        case "truncate" if config.truncate:
            return join_list(_truncate_words(config.truncate.model_dump(exclude_none=True)))
        case "filter" if config.filter:
            origin = [str(translated(each)) for each in origin_words(config.filter)]
            words = _filter_words(config.filter.model_dump(exclude_none=True), most)
            return join_list([*words, *origin])
        case "insert" if config.insert:
            count = len(config.insert.messages)
            return ngettext("+%(n)s message", "+%(n)s messages", count) % {"n": count}
        case "replace" if config.replace:
            return _("message %(n)s replaced") % {"n": config.replace.index}
        case "budget" if config.budget:
            return _("over %(most)s tokens cut to %(target)s") % {
                "most": number_format(config.budget.max_tokens, force_grouping=True),
                "target": number_format(config.budget.target_tokens, force_grouping=True),
            }
        case "summarize":
            return _("a summary in place of some messages")
        case "clear":
            if config.clear is not None and not config.clear.keep_system_message:
                return _("no messages")
            return _("system messages only")
    return config.operation


def _truncate_words(block: Mapping[str, JsonValue]) -> Iterator[str]:
    words = {
        "keep_first": _("first %(n)s"),
        "keep_last": _("last %(n)s"),
        "remove_first": _("without the first %(n)s"),
        "remove_last": _("without the last %(n)s"),
    }
    for name, text in words.items():
        if name in block:
            yield text % {"n": block[name]}
    span = block.get("range")
    if isinstance(span, dict):
        yield _("positions %(start)s to %(end)s") % span
    if "remove_ranges" in block:
        yield _("without some positions")
    if block.get("keep_system"):
        yield _("system messages kept")


def _filter_words(block: Mapping[str, JsonValue], most: int) -> Iterator[str]:
    roles = block.get("roles")
    if isinstance(roles, list):
        left = sorted(_ROLES - {str(role) for role in roles})
        if len(left) == 1:
            names = {"tool": _("no tools"), "system": _("no system messages")}
            yield names.get(left[0], _("no %(role)s messages") % {"role": left[0]})
        else:
            yield _("only %(names)s") % {"names": first_few([str(role) for role in roles], most)}
    for name, text in (
        ("content_contains", _("with %(words)s")),
        ("content_excludes", _("without %(words)s")),
    ):
        keywords = block.get(name)
        if isinstance(keywords, list):
            yield text % {"words": first_few([f"“{word}”" for word in keywords], most)}


def first_few(names: Sequence[str], most: int = _MOST_NAMES) -> str:
    """Returns the first few of some names and the number of others."""
    shown = ", ".join(names[:most])
    more = len(names) - most
    return f"{shown} +{more}" if more > 0 else shown
