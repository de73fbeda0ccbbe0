"""Glossary: terms of people and access."""

from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ctxadmin.ui.glossary.terms import Term, TermGroup

PEOPLE: Final = TermGroup(
    pgettext_lazy("glossary", "People and access"),
    (
        Term(
            "designer",
            pgettext_lazy("glossary", "designer"),
            _("A person who draws workflows and decides what context each node sees."),
            "ctxadmin.identity.roles.Role.DESIGNER",
        ),
        Term(
            "reviewer",
            pgettext_lazy("glossary", "reviewer"),
            _(
                "A person who approves or rejects proposals, edits the state of paused "
                "executions and rolls back conversations."
            ),
            "ctxadmin.identity.roles.Role.REVIEWER",
        ),
        Term(
            "admin",
            pgettext_lazy("glossary", "admin"),
            _("A person who manages the people, tokens and retention of a workspace."),
            "ctxadmin.identity.roles.Role.ADMIN",
        ),
        Term(
            "engine",
            pgettext_lazy("glossary", "engine"),
            _(
                "A program that runs workflows: it reads the context of a node, calls the "
                "model, and reports the result over REST. ctxadmin never calls a model."
            ),
        ),
        Term(
            "workspace",
            pgettext_lazy("glossary", "workspace"),
            _(
                "The workflows, conversations, people and tokens that belong together. Nothing "
                "is visible from another workspace."
            ),
            "ctxadmin.accounts.models.Workspace",
        ),
        Term(
            "role",
            pgettext_lazy("glossary", "role"),
            _(
                "What a person may do in a workspace: viewer, reviewer, designer or admin; each"
                " includes the ones before."
            ),
            "ctxadmin.identity.roles.Role",
        ),
        Term(
            "token",
            pgettext_lazy("glossary", "token"),
            _(
                "A secret with which an engine signs its REST requests. Not to be confused with"
                " the tokens of a model."
            ),
            "ctxadmin.accounts.models.EngineToken",
        ),
        Term(
            "scope",
            pgettext_lazy("glossary", "scope"),
            _("What a token may do besides reading: engine, review, design or admin."),
            "ctxadmin.identity.roles.Scope",
        ),
    ),
)
