"""Glossary: terms of workflows."""

from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ctxadmin.ui.glossary.terms import Term, TermGroup

WORKFLOWS: Final = TermGroup(
    pgettext_lazy("glossary", "Workflows"),
    (
        Term(
            "workflow",
            pgettext_lazy("glossary", "workflow"),
            _(
                "A graph of nodes and edges that says which steps run and what context flows "
                "between them."
            ),
            "workflows.models.Workflow",
        ),
        Term(
            "node",
            pgettext_lazy("glossary", "node"),
            _("One step of a workflow."),
            "workflows.domain.document.graph.Node",
        ),
        Term(
            "edge",
            pgettext_lazy("glossary", "edge"),
            _(
                "A connection from one node to the next. It says when it is followed and what "
                "context it passes on."
            ),
            "workflows.domain.document.graph.Edge",
        ),
        Term(
            "draft",
            pgettext_lazy("glossary", "draft"),
            _(
                "The workflow as its designers are changing it. Engines do not see it until it "
                "is published."
            ),
            "workflows.models.Workflow",
        ),
        Term(
            "publish",
            pgettext_lazy("glossary", "publish"),
            _(
                "Make the draft the next version of the workflow. Executions that start from "
                "then on use it."
            ),
            "workflows.models.WorkflowVersion",
        ),
        Term(
            "context",
            pgettext_lazy("glossary", "context"),
            _("What a node sees: template, variables, history, metadata and visible messages."),
            "workflows.domain.context.prompt_context.PromptContext",
        ),
        Term(
            "context-type",
            pgettext_lazy("glossary", "context type"),
            _("The part of the context that a kind of node sees by default, such as llm_context."),
            "workflows.domain.filters.context_types",
        ),
        Term(
            "input-filter",
            pgettext_lazy("glossary", "input filter"),
            _(
                "A filter of a node: it narrows what this node sees. Later nodes still see "
                "everything."
            ),
            "workflows.domain.filters.context_filter.ContextFilter",
        ),
        Term(
            "output-filter",
            pgettext_lazy("glossary", "output filter"),
            _("A filter of a node: it narrows what later nodes see."),
            "workflows.domain.filters.context_filter.ContextFilter",
        ),
        Term(
            "edge-filter",
            pgettext_lazy("glossary", "edge filter"),
            _("A filter of an edge: it narrows what flows along this edge."),
            "workflows.domain.filters.edge_filter.EdgeFilter",
        ),
        Term(
            "rule",
            pgettext_lazy("glossary", "rule"),
            _(
                "A line of a filter: which names it includes, excludes or transforms, and in "
                "which section."
            ),
            "workflows.domain.filters.context_filter.FilterRule",
        ),
        Term(
            "pattern",
            pgettext_lazy("glossary", "pattern"),
            _("A name in which * stands for any characters, such as llm.*."),
            "workflows.domain.selection.patterns.PatternSet",
        ),
        Term(
            "condition",
            pgettext_lazy("glossary", "condition"),
            _(
                "A short expression over the context that is true or false, such as "
                "context.score > 3."
            ),
            "workflows.domain.conditions.condition.Condition",
        ),
        Term(
            "transform",
            pgettext_lazy("glossary", "transform"),
            _("A named function that changes the values that a filter keeps."),
            "workflows.domain.context.transforms",
        ),
        Term(
            "processor",
            pgettext_lazy("glossary", "processor"),
            _(
                "Code that decides what a node sees. Each context type is a processor; installed "
                "packages can add their own."
            ),
            "workflows.domain.processors.registries",
        ),
        Term(
            "context-processor-node",
            pgettext_lazy("glossary", "context-processor node"),
            _(
                "A node that applies an operation to the conversation. The server runs it; no "
                "model is called."
            ),
        ),
        Term(
            "reducer",
            pgettext_lazy("glossary", "reducer"),
            _(
                "The rule by which a new value of a state key is combined with the old one, "
                "such as append or overwrite."
            ),
            "checkpoints.domain.reducers.Reducer",
        ),
        Term(
            "context-preview",
            pgettext_lazy("glossary", "context preview"),
            _(
                "What a node would see, name by name and message by message, with the rule that"
                " decided. Nothing is stored."
            ),
            "workflows.domain.running.flow.Preview",
        ),
        Term(
            "replay",
            pgettext_lazy("glossary", "replay"),
            _(
                "Compare what the nodes of recent executions saw with what they would see under"
                " the draft."
            ),
            "workflows.domain.running.what_if",
        ),
    ),
)
