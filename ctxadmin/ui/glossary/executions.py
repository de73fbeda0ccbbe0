"""Glossary: terms of executions."""

from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ctxadmin.ui.glossary.terms import Term, TermGroup

EXECUTIONS: Final = TermGroup(
    pgettext_lazy("glossary", "Executions"),
    (
        Term(
            "execution",
            pgettext_lazy("glossary", "execution"),
            _(
                "One run of a workflow on a conversation. A conversation has at most one that "
                "has not ended."
            ),
            "checkpoints.models.Execution",
        ),
        Term(
            "free-execution",
            pgettext_lazy("glossary", "free execution"),
            _("An execution without a workflow: any node can be completed."),
        ),
        Term(
            "status",
            pgettext_lazy("glossary", "status"),
            _(
                "The stage of an execution: PENDING, RUNNING, PAUSED, COMPLETED, FAILED or "
                "CANCELLED."
            ),
            "checkpoints.domain.status.Status",
        ),
        Term(
            "state",
            pgettext_lazy("glossary", "state"),
            _("The keys and values of an execution. The key messages is the conversation."),
            "checkpoints.domain.state",
        ),
        Term(
            "state-key",
            pgettext_lazy("glossary", "state key"),
            _("One name of the state with its value."),
            "checkpoints.models.StateKey",
        ),
        Term(
            "version",
            pgettext_lazy("glossary", "version"),
            _(
                "The state of an execution after a change, with its number: 0 at the start, one "
                "more with each change. Any version can be viewed, compared, restored and forked."
            ),
            "checkpoints.models.Checkpoint",
        ),
        Term(
            "checkpoint",
            pgettext_lazy("glossary", "checkpoint"),
            _("A saved point of an execution, usually after a node. It stores what changed."),
            "checkpoints.models.Checkpoint",
        ),
        Term(
            "snapshot",
            pgettext_lazy("glossary", "snapshot"),
            _("The whole state of an execution at a version."),
            "checkpoints.domain.timeline.Snapshot",
        ),
        Term(
            "execution-history",
            pgettext_lazy("glossary", "execution history"),
            _("The list of completed nodes, with when and how each was completed."),
            "checkpoints.domain.timeline.HistoryEntry",
        ),
        Term(
            "ready-node",
            pgettext_lazy("glossary", "ready node"),
            _("A node that can be completed now, because everything it depends on is done."),
        ),
        Term(
            "node-claim",
            pgettext_lazy("glossary", "claim of a node"),
            _(
                "The request with which one of several engines reserves a ready node. Until its "
                "lease expires, others can neither claim nor complete the node."
            ),
            "checkpoints.domain.leases.Leases",
        ),
        Term(
            "lease",
            pgettext_lazy("glossary", "lease"),
            _(
                "What a claim of a node gives: a name that the completion has to send, and a time, "
                "from 1 second to 1 hour, after which another engine can claim the node."
            ),
            "checkpoints.domain.leases.Lease",
        ),
        Term(
            "enter",
            pgettext_lazy("glossary", "enter"),
            _("The request with which an engine gets the context of a node."),
            "workflows.domain.running.flow.Entered",
        ),
        Term(
            "complete",
            pgettext_lazy("glossary", "complete"),
            _(
                "The request with which an engine reports the result of a node. It makes one "
                "new version."
            ),
            "checkpoints.domain.commands.CompleteNode",
        ),
        Term(
            "pause",
            pgettext_lazy("glossary", "pause"),
            _("Stop an execution before or after a node until a person or an engine resumes it."),
            "checkpoints.domain.pauses.Pause",
        ),
        Term(
            "resume",
            pgettext_lazy("glossary", "resume"),
            _("Let a paused execution continue, or retry a failed one."),
        ),
        Term(
            "review",
            pgettext_lazy("glossary", "review"),
            _("The decision of a person about a paused execution: approve or reject."),
            "checkpoints.domain.pauses.Approval",
        ),
        Term(
            "proposal",
            pgettext_lazy("glossary", "proposal"),
            _("What the node before the pause produced, waiting for approval."),
            "checkpoints.domain.proposal.Proposal",
        ),
        Term(
            "claim",
            pgettext_lazy("glossary", "claim of a review"),
            _("Tell others that you are handling a review. It locks nothing."),
            "checkpoints.models.Claim",
        ),
        Term(
            "timeout",
            pgettext_lazy("glossary", "timeout"),
            _(
                "How long a pause waits for a person, and what happens then: approve, reject or"
                " cancel."
            ),
            "checkpoints.domain.pauses.PauseRule",
        ),
        Term(
            "conflict",
            pgettext_lazy("glossary", "conflict"),
            _("Two changes of the same state key that started from the same version."),
            "checkpoints.domain.merge.Conflict",
        ),
        Term(
            "unsaved-edits",
            pgettext_lazy("glossary", "unsaved edits"),
            _(
                "What a person has typed into the state of a paused execution and has not "
                "applied yet. It is kept across reloads."
            ),
            "checkpoints.models.PendingEdit",
        ),
        Term(
            "fork",
            pgettext_lazy("glossary", "fork"),
            _("Copy an execution at a version into a new conversation, where it is paused."),
            "checkpoints.domain.move_commands.ForkCheckpoint",
        ),
        Term(
            "usage",
            pgettext_lazy("glossary", "usage"),
            _(
                "Tokens, and perhaps the cost, that an engine reports when it completes a step: "
                "what the model was sent, what of it the provider's cache had, what it answered."
            ),
            "checkpoints.domain.usage.ModelUsage",
        ),
        Term(
            "price",
            pgettext_lazy("glossary", "price"),
            _(
                "US dollars for 1,000,000 tokens of a model: input, cached input, cache write and "
                "output. Admins set prices of the workspace; other models have public ones."
            ),
            "conversations.domain.prices.Price",
        ),
    ),
)
