"""Links entries of the audit to the bulk action that they are part of."""

from collections.abc import Collection, Mapping

from django.urls import reverse
from django.utils.translation import gettext as _

from bulk import store
from bulk.pages.wording import TITLES
from ctxadmin.identity.bulk_actions import BulkAction
from ctxadmin.ui.audit.origins import Cause, Origin


def bulk_origins(workspace: int, causes: Collection[Cause]) -> Mapping[Cause, Origin]:
    """Returns the bulk actions that entries with some causes are part of, unless removed."""
    return {
        (row.author, row.request_id): Origin(
            _("Bulk action: %(action)s") % {"action": TITLES[BulkAction(row.action)]},
            reverse("bulk:job", args=[row.public_id]),
        )
        for row in store.jobs_of_requests(workspace, causes)
    }
