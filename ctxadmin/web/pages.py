"""The base of every page: who reads, and refusals of services as pages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol
from urllib.parse import urlsplit

from django.contrib.auth.views import redirect_to_login
from django.db import Error
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme

from ctxadmin.accounts.actor import Actor
from ctxadmin.lib.errors import ContextError, FieldProblem, Forbidden, NotFound, Unavailable
from ctxadmin.observe.facts import note_refusal
from ctxadmin.web import error_pages
from ctxadmin.web.authentication import must_choose_password, person_actor
from ctxadmin.web.components import Crumb, Text
from ctxadmin.web.phrases import in_the_readers_language
from ctxadmin.web.pressing import leads_on
from ctxadmin.web.problems import TITLES, of_database, reads_problems, status_of

P = ParamSpec("P")
PageView = Callable[Concatenate[HttpRequest, Actor, P], HttpResponse]


class Page(Protocol):
    """What every page's context has: its title and the way to it."""

    @property
    def title(self) -> Text: ...

    @property
    def crumbs(self) -> Sequence[Crumb]: ...


@dataclass(frozen=True, slots=True)
class Refusal:
    """A domain error as ``problem.html`` shows it."""

    title: str
    detail: str
    code: str
    errors: Sequence[dict[str, object]]

    @property
    def says_more(self) -> bool:
        """False if all that is wrong stands in the detail already."""
        return any(error["message"] != self.detail for error in self.errors)


def page(view: PageView[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """A view for a signed-in member; it gets the actor, and what services refuse is a page."""

    @wraps(view)
    def shown(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return _as_member(view, request, *args, **kwargs)
        except Error as error:
            refusal = of_database(error)
            if refusal is None:
                raise
            return error_pages.unavailable(request, refusal)

    return shown


def _as_member(
    view: PageView[P], request: HttpRequest, *args: P.args, **kwargs: P.kwargs
) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    if must_choose_password(request):
        return redirect("account")
    actor = person_actor(request)
    if actor is None:
        return error_pages.forbidden(request)
    request.actor = actor  # type: ignore[attr-defined]
    try:
        return _for_scripts(request, view(request, actor, *args, **kwargs))
    except ContextError as error:
        return refused(request, error)


def _for_scripts(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Where a form leads to, for the script that sent it: a redirect it could only follow."""
    if request.method == "POST" and leads_on(response) and reads_problems(request):
        return JsonResponse({"to": response["Location"]})
    return response


def _told(problem: FieldProblem) -> dict[str, object]:
    return problem.as_json() | {"message": in_the_readers_language(problem.message)}


def refused(request: HttpRequest, error: ContextError) -> HttpResponse:
    """A domain error as a page with its status."""
    note_refusal(error.code)
    if isinstance(error, NotFound):
        return error_pages.not_found(request, error)
    if isinstance(error, Forbidden):
        return error_pages.forbidden(request)
    problem = Refusal(
        title=in_the_readers_language(TITLES.get(error.code, error.code)),
        detail=in_the_readers_language(error.detail),
        code=error.code,
        errors=[_told(item) for item in error.problems],
    )
    of_address = any(each.pointer.startswith("?") for each in error.problems)
    context = {
        "problem": problem,
        "back_url": _back(request),
        "plain_url": request.path if of_address else "",
    }
    response = render(request, "problem.html", context, status=status_of(error))
    if isinstance(error, Unavailable):
        response["Retry-After"] = str(error.retry_after)
    return response


def show(
    request: HttpRequest, template: str, page: Page, *, status: int = 200, **more: Any
) -> HttpResponse:
    """Render a page from its context value, which the template knows as ``page``."""
    context = {"page": page, "title": page.title, "crumbs": page.crumbs, **more}
    return render(request, template, context, status=status)


def _back(request: HttpRequest) -> str:
    """Where the reader came from, if that was here."""
    came_from = request.META.get("HTTP_REFERER", "")
    if not url_has_allowed_host_and_scheme(came_from, allowed_hosts={request.get_host()}):
        return ""
    parts = urlsplit(came_from)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
