"""The pages and actions that the palette offers beside the menu: each with who may go there."""

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext_lazy as _

from ctxadmin.identity.roles import Action
from ctxadmin.ui.components import Text


@dataclass(frozen=True, slots=True)
class Place:
    """A page or the beginning of an action, by the name of its url."""

    label: Text
    url_name: str
    icon: str
    needs: Action = Action.READ


PLACES: Final[tuple[Place, ...]] = (
    Place(_("New workflow"), "workflows:create", "plus", Action.WORKFLOW_CHANGE),
    Place(_("Import a workflow"), "workflows:import", "upload", Action.WORKFLOW_CHANGE),
    Place(_("Import conversations"), "conversations:import", "upload", Action.CONVERSATION_IMPORT),
    Place(_("Bulk actions"), "bulk:list", "checks"),
    Place(_("Usage"), "usage", "sum"),
    Place(_("Notifications"), "notifications", "bell", Action.NOTIFICATION_CHOOSE),
    Place(_("Your account"), "account", "user"),
    Place(_("People"), "settings-people", "users", Action.MEMBER_MANAGE),
    Place(_("New token"), "settings-new-token", "key", Action.TOKEN_MANAGE),
    Place(_("Webhooks"), "webhooks", "webhook", Action.WEBHOOK_MANAGE),
    Place(_("Prices"), "settings-prices", "tag", Action.PRICES_SET),
    Place(_("Retention"), "settings-retention", "archive", Action.RETENTION_SET),
    Place(_("Glossary"), "glossary", "abc"),
    Place(_("REST API"), "api-docs", "code"),
)
