"""The settings pages of people: the list, a new one, one person with their role and password."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe
from pydantic import Field

from ctxadmin.accounts import people as services
from ctxadmin.accounts.people import NewPassword, NewPersonRequest, Person, RoleName
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action, Role
from ctxadmin.lib.contract import Contract
from ctxadmin.lib.errors import (
    Duplicate,
    FieldProblem,
    InvalidState,
    ValidationFailed,
    VersionConflict,
)
from ctxadmin.ui.components import Crumb, StatusBadge, Text
from ctxadmin.ui.confirm_page import Confirm, Redirection, confirm_page
from ctxadmin.ui.forms import ContractForm, FieldHint
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import translated

ROLES: Final[Mapping[Role, Text]] = {
    Role.VIEWER: gettext_lazy("viewer: reads conversations, workflows and executions"),
    Role.REVIEWER: gettext_lazy(
        "reviewer: what a viewer can, and edits paused states, approves, rolls back"
    ),
    Role.DESIGNER: gettext_lazy(
        "designer: what a reviewer can, and draws workflows and manages webhooks"
    ),
    Role.ADMIN: gettext_lazy("admin: everything, including people, tokens and erasing"),
}
_LOCKED: Final = StatusBadge(gettext_lazy("deactivated"), "secondary", "lock")
_WAITING: Final = StatusBadge(gettext_lazy("has not chosen a password yet"), "orange", "key")
_ACTIVE: Final = StatusBadge(gettext_lazy("active"), "green", "circle-check")


class PersonRequest(Contract):
    """The role and mail address of a person."""

    role: RoleName
    email: Annotated[str, Field(max_length=254)] = ""


_ROLE_HINT: Final = FieldHint(
    label=gettext_lazy("Role"),
    choices=[(role.value, words) for role, words in ROLES.items()],
    wide=True,
)


_EMAIL_HINT: Final = FieldHint(
    label=gettext_lazy("Email address"),
    help=gettext_lazy("For notifications. Without one, none are sent by email."),
    wide=True,
)


class NewPersonForm(ContractForm[NewPersonRequest]):
    contract = NewPersonRequest
    hints = {
        "name": FieldHint(
            label=gettext_lazy("Name"),
            help=gettext_lazy(
                "Letters, digits and . @ + - _. Shown as the author of their changes; it cannot"
                " be changed later."
            ),
            wide=True,
        ),
        "role": _ROLE_HINT,
        "email": _EMAIL_HINT,
    }


class PersonForm(ContractForm[PersonRequest]):
    contract = PersonRequest
    hints = {"role": _ROLE_HINT, "email": _EMAIL_HINT}


@dataclass(frozen=True, slots=True)
class PeoplePage:
    """Everyone in the workspace."""

    title: Text
    crumbs: Sequence[Crumb]
    people: Sequence[tuple[Person, StatusBadge]]
    own: str


@dataclass(frozen=True, slots=True)
class NewPersonPage:
    """The form of a new person."""

    title: Text
    crumbs: Sequence[Crumb]
    form: NewPersonForm


@dataclass(frozen=True, slots=True)
class PersonPage:
    """One person; ``own`` if it is the reader, ``warning`` says why nothing was saved."""

    title: Text
    crumbs: Sequence[Crumb]
    person: Person
    status: StatusBadge
    form: PersonForm
    own: bool
    warning: str


@dataclass(frozen=True, slots=True)
class PasswordPage:
    """A new password, which no other page will show."""

    title: Text
    crumbs: Sequence[Crumb]
    made: NewPassword
    sign_in: str


@require_safe
@page
def people(request: HttpRequest, actor: Actor) -> HttpResponse:
    found = [(person, _status(person)) for person in services.list_people(actor)]
    shown = PeoplePage(_("People"), _crumbs(), found, _own_name(actor))
    return show(request, "settings/people.html", shown)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@page
def new_person(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Adds someone; the answer is the only page that ever shows their first password."""
    actor.require(Action.MEMBER_MANAGE)
    if request.method == "POST":
        form = NewPersonForm(request.POST)
        if form.is_valid():
            try:
                made = services.add_person(
                    actor, form.model.name, Role(form.model.role), form.model.email
                )
                return _password_page(request, made)
            except Duplicate as error:
                form.add_problems([FieldProblem("/name", error.detail, error.code)])
            except ValidationFailed as error:
                form.add_problems(error.problems)
    else:
        form = NewPersonForm(initial={"role": Role.REVIEWER.value, "name": ""})
    shown = NewPersonPage(_("New person"), _crumbs(_("New person")), form)
    status = 422 if request.method == "POST" else 200
    return show(request, "settings/new_person.html", shown, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def person(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Shows one person; a POST changes their role and mail address."""
    found = services.find_person(actor, name)
    if request.method != "POST":
        form = PersonForm(initial={"role": found.role.value, "email": found.email})
        return _person_page(request, actor, found, form)
    form = PersonForm(request.POST)
    if not form.is_valid():
        return _person_page(request, actor, found, form, status=422)
    seen = next((role for role in Role if role.value == request.POST.get("seen")), found.role)
    email = form.model.email if "email" in request.POST else found.email
    seen_email = request.POST.get("seen_email", found.email)
    try:
        services.change_person(
            actor, name, Role(form.model.role), email, seen=seen, seen_email=seen_email
        )
    except ValidationFailed as error:
        form.add_problems(error.problems)
        return _person_page(request, actor, found, form, status=422)
    except (InvalidState, VersionConflict) as error:
        now = services.find_person(actor, name)
        return _person_page(request, actor, now, form, translated(error.detail), status=409)
    flash.success(request, _("Saved: %(name)s.") % {"name": name})
    return redirect("settings-people")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@page
def renew(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Replaces a forgotten password; the answer is the only page that ever shows it."""
    confirm = _question(
        services.find_person(actor, name),
        title=_("New password for %(name)s") % {"name": name},
        text=_(
            "The current password stops working and its sessions are signed out. The new "
            "password is shown once and must be changed at the first sign-in."
        ),
        submit=_("Generate a new password"),
    )

    def write(_reason: str) -> HttpResponse:
        return _password_page(request, services.renew_password(actor, name))

    return confirm_page(request, confirm, write)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def lock(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    confirm = _question(
        services.find_person(actor, name),
        title=_("Deactivate %(name)s") % {"name": name},
        text=_(
            "They are signed out at once. Their work stays under their name. You can reactivate "
            "them later."
        ),
        submit=_("Deactivate"),
        danger=True,
    )

    def write(_reason: str) -> Redirection:
        services.lock(actor, name)
        return Redirection(
            reverse("settings-people"), _("%(name)s is deactivated.") % {"name": name}
        )

    return confirm_page(request, confirm, write)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def unlock(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    confirm = _question(
        services.find_person(actor, name),
        title=_("Reactivate %(name)s") % {"name": name},
        text=_("Their role and password are unchanged."),
        submit=_("Reactivate"),
    )

    def write(_reason: str) -> Redirection:
        services.unlock(actor, name)
        return Redirection(
            reverse("settings-people"), _("%(name)s can sign in again.") % {"name": name}
        )

    return confirm_page(request, confirm, write)


def _person_page(
    request: HttpRequest,
    actor: Actor,
    found: Person,
    form: PersonForm,
    warning: str = "",
    status: int = 200,
) -> HttpResponse:
    shown = PersonPage(
        title=found.name,
        crumbs=_crumbs(found.name),
        person=found,
        status=_status(found),
        form=form,
        own=found.name == _own_name(actor),
        warning=warning,
    )
    return show(request, "settings/person.html", shown, status=status)


def _password_page(request: HttpRequest, made: NewPassword) -> HttpResponse:
    shown = PasswordPage(
        title=_("Password for %(name)s") % {"name": made.name},
        crumbs=_crumbs(made.name),
        made=made,
        sign_in=request.build_absolute_uri(reverse("login")),
    )
    return show(request, "settings/password.html", shown)


def _question(
    found: Person, *, title: str, text: str, submit: str, danger: bool = False
) -> Confirm:
    back = reverse("settings-person", args=[found.name])
    way = _crumbs(Crumb(found.name, back), submit)
    return Confirm(title, text, submit, back, way, danger=danger)


def _status(found: Person) -> StatusBadge:
    return _LOCKED if found.locked else _WAITING if found.must_change else _ACTIVE


def _own_name(actor: Actor) -> str:
    return actor.name if actor.kind == "person" else ""


def _crumbs(*way: Crumb | str) -> tuple[Crumb, ...]:
    """Returns the breadcrumbs of a page of people; without a person those of the list."""
    start = [Crumb(_("Settings"), reverse("settings"))]
    if not way:
        return (*start, Crumb(_("People")))
    start.append(Crumb(_("People"), reverse("settings-people")))
    return (*start, *(Crumb(each) if isinstance(each, str) else each for each in way))
