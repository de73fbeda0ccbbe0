"""Glossary: terms of conversations."""

from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ctxadmin.ui.glossary.terms import Term, TermGroup

CONVERSATIONS: Final = TermGroup(
    pgettext_lazy("glossary", "Conversations"),
    (
        Term(
            "conversation",
            pgettext_lazy("glossary", "conversation"),
            _("A message log, the views of it, and the executions that worked on it."),
            "conversations.models.Conversation",
        ),
        Term(
            "message",
            pgettext_lazy("glossary", "message"),
            _(
                "One entry of a conversation with a role (system, user, assistant or tool) and "
                "content."
            ),
            "conversations.domain.message.Entry",
        ),
        Term(
            "message-log",
            pgettext_lazy("glossary", "message log"),
            _(
                "All messages that a conversation ever received, in order, counted from 0. "
                "Nothing in it is changed or deleted."
            ),
            "conversations.domain.log.Log",
        ),
        Term(
            "view",
            pgettext_lazy("glossary", "view"),
            _("The messages of the log that are visible, in their order: what a model sees."),
            "conversations.domain.view.View",
        ),
        Term(
            "hidden-message",
            pgettext_lazy("glossary", "hidden message"),
            _(
                "A message of the log that is not in the current view. It can come back by a "
                "rollback or a restore."
            ),
        ),
        Term(
            "pin",
            pgettext_lazy("glossary", "pin"),
            _(
                "Keeps a message visible: operations, filters and budgets do not hide a pinned "
                "message unless they are told to."
            ),
            "conversations.models.Pin",
        ),
        Term(
            "recall",
            pgettext_lazy("glossary", "recall"),
            _(
                "An engine's read of a hidden message in full. A line that an operation or filter "
                "left tells the model which messages it can recall; each recall is counted."
            ),
            "conversations.services.recalls",
        ),
        Term(
            "operation",
            pgettext_lazy("glossary", "operation"),
            _(
                "A change of the view: truncate, insert, replace, filter, clear, budget or "
                "summarize. Each opens one batch, so each can be undone."
            ),
            "conversations.domain.configs.OperationConfig",
        ),
        Term(
            "summarize",
            pgettext_lazy("glossary", "summarize"),
            _("The operation that puts one message in place of a span, and remembers the span."),
            "conversations.domain.configs.SummarizeConfig",
        ),
        Term(
            "truncate",
            pgettext_lazy("glossary", "truncate"),
            _("The operation that hides messages by their position, such as all but the last 6."),
            "conversations.domain.configs.TruncateConfig",
        ),
        Term(
            "insert",
            pgettext_lazy("glossary", "insert"),
            _("The operation that adds messages at a position of the view."),
            "conversations.domain.configs.InsertConfig",
        ),
        Term(
            "replace",
            pgettext_lazy("glossary", "replace"),
            _(
                "The operation that shows a new message in the place of another, which stays in"
                " the log."
            ),
            "conversations.domain.configs.ReplaceConfig",
        ),
        Term(
            "filter-by-content",
            pgettext_lazy("glossary", "filter by content"),
            _(
                "The operation that keeps the messages with the given roles and keywords. Its "
                "name in configs is filter."
            ),
            "conversations.domain.configs.FilterConfig",
        ),
        Term(
            "clear",
            pgettext_lazy("glossary", "clear"),
            _("The operation that hides everything but, if wanted, the system messages."),
            "conversations.domain.configs.ClearConfig",
        ),
        Term(
            "budget",
            pgettext_lazy("glossary", "budget"),
            _(
                "The operation that cuts the context down to a target when its tokens pass a "
                "limit, and leaves its beginning unchanged until the next cut."
            ),
            "conversations.domain.budgets.config.BudgetConfig",
        ),
        Term(
            "backtest",
            pgettext_lazy("glossary", "backtest"),
            _(
                "A replay of recorded conversations that shows what policies for the context would "
                "have sent and cost."
            ),
            "workflows.domain.backtests",
        ),
        Term(
            "batch",
            pgettext_lazy("glossary", "batch"),
            _(
                "A numbered state of the view. Batch 0 is the beginning; each operation opens "
                "the next."
            ),
        ),
        Term(
            "revision",
            pgettext_lazy("glossary", "revision"),
            _(
                "One stored batch with its parent, author, reason and time. A batch number can "
                "occur on several branches; a revision number only once."
            ),
            "conversations.models.Revision",
        ),
        Term(
            "roll-back",
            pgettext_lazy("glossary", "roll back"),
            _(
                "Show the view as it was at the end of an earlier batch of this branch. The "
                "later batches stay listed."
            ),
            "conversations.domain.revisions.Move",
        ),
        Term(
            "restore",
            pgettext_lazy("glossary", "restore"),
            _(
                "Go back to a revision of any branch or to an earlier version of an execution, "
                "also to one that was rolled back."
            ),
            "conversations.domain.revisions.Move",
        ),
        Term(
            "tool-call",
            pgettext_lazy("glossary", "tool call"),
            _(
                "A request of an assistant message to run a tool. The result refers to it by "
                "its id."
            ),
            "conversations.domain.message_parts.ToolCall",
        ),
        Term(
            "tool-pair",
            pgettext_lazy("glossary", "tool pair"),
            _("A tool call and its results. Most providers reject one without the other."),
            "conversations.domain.log.ToolGroup",
        ),
        Term(
            "tool-description",
            pgettext_lazy("glossary", "tool description"),
            _("The message that tells the model which tools it has."),
        ),
        Term(
            "comment",
            pgettext_lazy("glossary", "comment"),
            _("What people write beside a message or a version. It is never sent to a model."),
            "conversations.models.Comment",
        ),
        Term(
            "tokens-of-a-model",
            pgettext_lazy("glossary", "tokens of a model"),
            _(
                "The units in which a model measures text. Counts are estimates unless an "
                "engine reported them."
            ),
            "conversations.domain.tokens",
        ),
        Term(
            "cached-prefix",
            pgettext_lazy("glossary", "cached prefix"),
            _(
                "The beginning of a context that the provider has processed before and bills at"
                " a lower price. A change near the beginning loses it."
            ),
        ),
        Term(
            "export",
            pgettext_lazy("glossary", "export"),
            _(
                "A file with a conversation's log, view and all revisions. Imported again it "
                "can still be rolled back."
            ),
            "conversations.domain.export_document.Document",
        ),
        Term(
            "import report",
            pgettext_lazy("glossary", "import report"),
            _("What an import from another program stored differently, what it left out, and why."),
            "conversations.domain.imports.report.ImportReport",
        ),
        Term(
            "format",
            pgettext_lazy("glossary", "format"),
            _(
                "How another program writes conversations, recognized by its structure. In REST "
                "and on the command line it is called shape."
            ),
            "conversations.domain.imports.shape.Shape",
        ),
    ),
)
