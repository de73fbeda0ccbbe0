"""The words of pages for kinds, states and problems of deliveries."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _

from ctxadmin.web.components import Status, Text
from notifications.domain.kinds import TEST, Kind
from notifications.models import Delivery
from notifications.sending.outcome import Problem

KINDS: Final[Mapping[str, Text]] = {
    Kind.REVIEW_ASKED: _("A review is asked for"),
    Kind.PAUSED: _("Paused, for whatever reason"),
    Kind.APPROVED: _("Approved"),
    Kind.REJECTED: _("Rejected"),
    Kind.TIMED_OUT: _("Nobody answered in time"),
    Kind.RESUMED: _("Resumed"),
    Kind.COMPLETED: _("Completed"),
    Kind.FAILED: _("Failed, also by a rejection"),
    Kind.CANCELLED: _("Cancelled"),
    Kind.ASSIGNED: _("A review is assigned to me"),
    TEST: _("A test"),
}
STATES: Final[Mapping[str, Status]] = {
    Delivery.State.WAITING: Status(_("waits"), "orange", "clock"),
    Delivery.State.SENT: Status(_("arrived"), "green", "circle-check"),
    Delivery.State.DEAD: Status(_("given up"), "red", "circle-x"),
}
PROBLEMS: Final[Mapping[str, Text]] = {
    Problem.NAME: _("the host is not known"),
    Problem.PRIVATE: _("an address of a private network"),
    Problem.CONNECTION: _("no connection"),
    Problem.TLS: _("no trusted certificate"),
    Problem.TIMEOUT: _("no answer in time"),
    Problem.ANSWER: _("another answer than 2xx"),
    Problem.REDIRECT: _("a redirect, which is not followed"),
    Problem.GONE: _("the receiver says that it is gone"),
    Problem.RIGHTS: _("its owner may not make webhooks any more"),
    Problem.SECRET: _("the server's key has changed; renew the secret"),
    Problem.UNWANTED: _("nobody asks for it any more"),
    Problem.MAIL: _("the mail server did not take it"),
}
