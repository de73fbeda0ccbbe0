"""The page of one's own account: role, password and sessions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from django.contrib import messages as flash
from django.contrib.auth import authenticate, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm
from django.db import transaction
from django.forms import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from ctxadmin.accounts.authentication import member_actor
from ctxadmin.accounts.models import User
from ctxadmin.accounts.people import record_new_password, role_of
from ctxadmin.identity.actor import Actor
from ctxadmin.ui import error_pages
from ctxadmin.ui.accounts.people import ROLES
from ctxadmin.ui.accounts.sessions import SessionList, session_list
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import show


class PasswordForm(PasswordChangeForm):
    """Django's form; guessing the old password is limited as at the sign-in."""

    def __init__(self, request: HttpRequest, *args: Any) -> None:
        self.request = request
        super().__init__(cast(User, request.user), *args)

    def clean_old_password(self) -> str:
        old: str = self.cleaned_data["old_password"]
        name = self.user.get_username()
        if authenticate(self.request, username=name, password=old) is None:
            raise ValidationError(self.error_messages["password_incorrect"], "password_incorrect")
        return old


@dataclass(frozen=True, slots=True)
class AccountPage:
    """The person and their sessions.

    ``must_change`` if nothing else is open before another password is chosen; then no session is
    shown.
    """

    title: Text
    crumbs: Sequence[Crumb]
    name: str
    role: Text
    must_change: bool
    form: PasswordForm
    sessions: SessionList | None


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
@never_cache
@login_required
def account(request: HttpRequest) -> HttpResponse:
    actor = member_actor(request)
    if actor is None:
        return error_pages.forbidden(request)
    user = cast(User, request.user)
    was_first = user.must_change_password
    if request.method == "POST":
        form = PasswordForm(request, request.POST)
        if form.is_valid():
            _change(request, actor, form)
            flash.success(request, _("Password changed. Other browsers are signed out."))
            return redirect("overview" if was_first else "account")
    else:
        form = PasswordForm(request)
    role = role_of(actor)
    shown = AccountPage(
        title=_("Your account"),
        crumbs=(),
        name=user.get_username(),
        role=ROLES[role],
        must_change=was_first,
        form=form,
        sessions=None if was_first else session_list(request, actor),
    )
    return show(request, "account.html", shown, status=422 if request.method == "POST" else 200)


@transaction.atomic
def _change(request: HttpRequest, actor: Actor, form: PasswordForm) -> None:
    user = form.save()
    record_new_password(actor, user)
    update_session_auth_hash(request, user)
