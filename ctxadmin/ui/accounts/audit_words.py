"""The roles of people and the scopes of tokens, in words for the audit."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from ctxadmin.audit.models import AuditEntry
from ctxadmin.http.audit.entries import detail_of
from ctxadmin.ui.audit.change_words import Run
from ctxadmin.ui.audit.changed_values import ChangedValue
from ctxadmin.ui.components import Text


def words_of_runs(runs: Sequence[Run]) -> Sequence[Text]:
    """Returns the role or the scopes that each change set, "" for other changes.

    Changes of people and tokens are never said together.
    """
    return [_words(values_of_entry(run[0])) for run in runs]


def values_of_entry(entry: AuditEntry) -> Sequence[ChangedValue]:
    """Returns the role of a person, or the scopes of a token, before and after."""
    found = detail_of(entry.detail)
    detail = found if isinstance(found, dict) else {}
    if role := detail.get("role"):
        label = _("Role")
        return [ChangedValue(label, label, str(detail.get("before", "")), str(role))]
    if isinstance(scopes := detail.get("scopes"), list) and scopes:
        label = _("Scopes")
        return [ChangedValue(label, label, "", ", ".join(map(str, scopes)))]
    return ()


def _words(values: Sequence[ChangedValue]) -> Text:
    if not values:
        return ""
    (value,) = values
    change = f"{value.before} → {value.after}" if value.before else value.after
    return _("%(field)s: %(value)s") % {"field": value.subject, "value": change}
