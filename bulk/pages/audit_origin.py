"""Links entries of the audit to the bulk action that they are part of."""

from django.urls import reverse
from django.utils.translation import gettext as _

from bulk import store
from bulk.pages.wording import TITLES
from ctxadmin.identity.bulk_actions import BulkAction
from ctxadmin.ui.audit.origins import Origin


def bulk_origin(workspace: int, author: str, request_id: str) -> Origin | None:
    """Returns the bulk action of an entry; None if it is part of none, or of a removed one."""
    row = store.job_of_request(workspace, author, request_id)
    if row is None:
        return None
    label = _("Bulk action: %(action)s") % {"action": TITLES[BulkAction(row.action)]}
    return Origin(label, reverse("bulk:job", args=[row.public_id]))
