"""The JSON Schemas of configs, by name; apps above register their own."""

import functools
import inspect
from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel

from conversations.api.schemas import CreateConversation
from conversations.domain.budgets.config import BudgetConfig
from conversations.domain.configs import (
    ClearConfig,
    FilterConfig,
    InsertConfig,
    OperationConfig,
    ReplaceConfig,
    SummarizeConfig,
    TruncateConfig,
)
from conversations.domain.message import IncomingMessage
from ctxadmin.lib.contract import did_you_mean
from ctxadmin.lib.errors import NotFound
from workflows.domain.context.prompt_context import PromptContextInput
from workflows.domain.document.graph import Document, Edge, Node, NodeSettings
from workflows.domain.filters.context_filter import ContextFilter, FilterRule
from workflows.domain.filters.edge_filter import EdgeFilter, TransformRule
from workflows.previews.dry_run import FilterStep

BASE: Final = "/api/v1/schemas"

_models: Final[dict[str, type[BaseModel]]] = {
    "workflow": Document,
    "node": Node,
    "node_settings": NodeSettings,
    "edge": Edge,
    "context_filter": ContextFilter,
    "context_filter_rule": FilterRule,
    "edge_filter": EdgeFilter,
    "transform_rule": TransformRule,
    "filter_step": FilterStep,
    "prompt_context": PromptContextInput,
    "operation": OperationConfig,
    "truncate": TruncateConfig,
    "insert": InsertConfig,
    "replace": ReplaceConfig,
    "summarize": SummarizeConfig,
    "clear": ClearConfig,
    "filter": FilterConfig,
    "budget": BudgetConfig,
    "message": IncomingMessage,
    "conversation": CreateConversation,
}


def schema_models() -> Mapping[str, type[BaseModel]]:
    """Returns all models by name, sorted."""
    return dict(sorted(_models.items()))


def summary_of(model: type[BaseModel]) -> str:
    """Returns the first paragraph of a model's docstring."""
    return " ".join((inspect.getdoc(model) or "").split("\n\n")[0].split())


@functools.cache
def schema_of(name: str) -> dict[str, Any]:
    """Returns the JSON Schema (2020-12) of a config; raises NotFound for an unknown name."""
    model = _models.get(name)
    if model is None:
        raise NotFound(did_you_mean(f"There is no schema {name[:64]!r}", name[:64], _models) + ".")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{BASE}/{name}",
        **model.model_json_schema(mode="validation"),
    }
