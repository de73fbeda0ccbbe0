"""The words of pages for kinds, states and problems of deliveries."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _

from ctxadmin.ui.components import StatusBadge, Text
from notifications.domain.kinds import TEST, Kind
from notifications.models import Delivery
from notifications.sending.outcome import Problem

KINDS: Final[Mapping[str, Text]] = {
    Kind.REVIEW_ASKED: _("Review requested"),
    Kind.PAUSED: _("Paused for any reason"),
    Kind.APPROVED: _("Approved"),
    Kind.REJECTED: _("Rejected"),
    Kind.TIMED_OUT: _("Review timed out"),
    Kind.RESUMED: _("Resumed"),
    Kind.COMPLETED: _("Completed"),
    Kind.FAILED: _("Failed or rejected"),
    Kind.CANCELLED: _("Cancelled"),
    Kind.ASSIGNED: _("Review assigned to me"),
    TEST: _("Test"),
}
STATES: Final[Mapping[str, StatusBadge]] = {
    Delivery.State.WAITING: StatusBadge(_("waiting"), "orange", "clock"),
    Delivery.State.SENT: StatusBadge(_("delivered"), "green", "circle-check"),
    Delivery.State.DEAD: StatusBadge(_("given up"), "red", "circle-x"),
}
PROBLEMS: Final[Mapping[str, Text]] = {
    Problem.NAME: _("host not found"),
    Problem.PRIVATE: _("private network address"),
    Problem.CONNECTION: _("no connection"),
    Problem.TLS: _("certificate not trusted"),
    Problem.TIMEOUT: _("timed out"),
    Problem.ANSWER: _("response was not 2xx"),
    Problem.REDIRECT: _("redirects are not followed"),
    Problem.GONE: _("receiver answered 410 Gone"),
    Problem.RIGHTS: _("the owner is no longer allowed to have webhooks"),
    Problem.SECRET: _("the server's secret key changed; renew the secret"),
    Problem.UNWANTED: _("notification turned off"),
    Problem.MAIL: _("refused by the mail server"),
}
