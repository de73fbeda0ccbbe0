"""The published workflow version that an execution is pinned to, with its pause rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import orjson

from checkpoints.domain.pauses import PauseRule, pause_rule
from checkpoints.domain.reducers import ReducerTable
from checkpoints.models import Execution
from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.sentence import say
from workflows.domain.document.graph import settings_of
from workflows.domain.document.topology import Graph
from workflows.domain.running.plan import Plan
from workflows.store import definitions
from workflows.store.definitions import PublishedWorkflow

_KEPT: Final = 512


@dataclass(frozen=True, slots=True)
class PinnedVersion:
    """A published version, and those of its nodes that need review."""

    workflow: PublishedWorkflow
    rules: Mapping[str, PauseRule]

    @property
    def plan(self) -> Plan:
        return self.workflow.plan

    @property
    def graph(self) -> Graph:
        return self.workflow.graph

    def require_node(self, node_id: str) -> None:
        """Raises NotFound unless the workflow has this node."""
        if node_id not in self.graph.nodes:
            raise NotFound(say("The workflow has no node {name}.", name=repr(node_id)))


def pinned_version(row: Execution) -> PinnedVersion | None:
    """Returns the version that an execution is pinned to; None for a free one."""
    if row.workflow_key is None or row.workflow_version is None:
        return None
    return _pinned(definitions.pinned(row.workflow_key, row.workflow_version))


def find_published(workspace: int, slug: str, version: int | None = None) -> PinnedVersion:
    """Returns a published version, by default the latest; raises NotFound if there is none."""
    return _pinned(definitions.find_published(workspace, slug, version))


def of_conversation(workspace: int, slug: str) -> PinnedVersion | None:
    """Returns the latest published version of a conversation's workflow.

    A conversation can name a workflow that does not exist here; then its executions are free.
    """
    if not slug:
        return None
    try:
        return find_published(workspace, slug)
    except NotFound:
        return None


def _pinned(workflow: PublishedWorkflow) -> PinnedVersion:
    return PinnedVersion(workflow, _rules(workflow.key, workflow.version))


@lru_cache(maxsize=_KEPT)  # a version never changes
def _rules(key: int, version: int) -> Mapping[str, PauseRule]:
    nodes = definitions.pinned(key, version).graph.nodes.values()
    wishes = ((node.id, pause_rule(settings_of(node))) for node in nodes if "pause" in node.config)
    return {node_id: rule for node_id, rule in wishes if rule is not None}


@lru_cache(maxsize=_KEPT)
def reducers_of(data: bytes) -> ReducerTable:
    """Returns the reducers of an execution from its JSON."""
    return ReducerTable.of(orjson.loads(data))
