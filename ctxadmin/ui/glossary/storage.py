"""Glossary: terms of storage and operation."""

from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ctxadmin.ui.glossary.terms import Term, TermGroup

STORAGE: Final = TermGroup(
    pgettext_lazy("glossary", "Storage and operation"),
    (
        Term(
            "bulk action",
            pgettext_lazy("glossary", "bulk action"),
            _(
                "One action on many conversations or executions, such as archiving them. A dry run "
                "shows what it would do, and each item has a result of its own."
            ),
            "bulk.models.BulkJob",
        ),
        Term(
            "background job",
            pgettext_lazy("glossary", "background job"),
            _(
                "Work that a server does apart from requests, such as a bulk action or a backtest. "
                "One process at a time works on it; if that ends, another one continues."
            ),
            "ctxadmin.background.leases.JobTable",
        ),
        Term(
            "audit",
            pgettext_lazy("glossary", "audit"),
            _("The record of who changed what, when and why. Tampering with it can be detected."),
            "ctxadmin.audit.models.AuditEntry",
        ),
        Term(
            "anchor",
            pgettext_lazy("glossary", "anchor"),
            _(
                "A stored record of the last entry of every stream of the audit, so that missing "
                "entries are detected."
            ),
            "ctxadmin.audit.models.AuditAnchor",
        ),
        Term(
            "search index",
            pgettext_lazy("glossary", "search index"),
            _(
                "The words of everything that can be searched, and where they are. It is updated "
                "after each change; what a hit shows is read from the stored text."
            ),
            "search.models.SearchDocument",
        ),
        Term(
            "event",
            pgettext_lazy("glossary", "event"),
            _(
                "A committed change of a conversation, with its number seq. Engines read events in "
                "order."
            ),
        ),
        Term(
            "webhook",
            pgettext_lazy("glossary", "webhook"),
            _("An address to which events are sent, signed."),
            "notifications.models.Webhook",
        ),
        Term(
            "delivery",
            pgettext_lazy("glossary", "delivery"),
            _("The attempts to send one event to one receiver."),
            "notifications.models.Delivery",
        ),
        Term(
            "live-copy",
            pgettext_lazy("glossary", "live copy"),
            _(
                "A copy of recent data in Redis. It can be lost at any time: SQL has the "
                "authoritative data."
            ),
            "checkpoints.live_copy",
        ),
        Term(
            "retention",
            pgettext_lazy("glossary", "retention"),
            _("How long the states of old versions and archived conversations are kept."),
            "checkpoints.domain.retention.RetentionPolicy",
        ),
        Term(
            "thinned-version",
            pgettext_lazy("glossary", "thinned version"),
            _("A version whose state was removed by retention. It stays listed."),
            "checkpoints.domain.thinning",
        ),
        Term(
            "deleted-version",
            pgettext_lazy("glossary", "deleted version"),
            _("A version that was deleted: its bytes are gone, its line in the timeline stays."),
            "checkpoints.services.deletions",
        ),
        Term(
            "archive",
            pgettext_lazy("glossary", "archive"),
            _("Take a conversation out of the lists without losing anything."),
        ),
        Term(
            "erase",
            pgettext_lazy("glossary", "erase"),
            _(
                "Remove a conversation with all its content for good. The audit still shows that "
                "it existed."
            ),
            "conversations.lifecycle.erasure",
        ),
        Term(
            "damaged-data",
            pgettext_lazy("glossary", "damaged data"),
            _("Stored data that differs from what was written. It is refused and never shown."),
            "conversations.store.damage",
        ),
    ),
)
