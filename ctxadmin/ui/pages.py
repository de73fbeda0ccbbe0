"""The base of every page: the reader, and refusals of services as pages."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, cast

from django.contrib.auth.views import redirect_to_login
from django.db import Error
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from ctxadmin.accounts.authentication import must_choose_password, person_actor
from ctxadmin.http.problems import of_database, wants_json
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import ContextError
from ctxadmin.ui import error_pages
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.error_pages import refusal_page
from ctxadmin.ui.form_idempotency import is_redirect

P = ParamSpec("P")
PageView = Callable[Concatenate[HttpRequest, Actor, P], HttpResponse]


class Page(Protocol):
    """The common context of pages: title and breadcrumbs."""

    @property
    def title(self) -> Text: ...

    @property
    def crumbs(self) -> Sequence[Crumb]: ...


def page(view: PageView[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Wraps a view for a signed-in member.

    It gets the actor, and refusals of services are pages.
    """

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


def part_of(
    name: str, *places: str
) -> Callable[[Callable[P, HttpResponse]], Callable[P, HttpResponse]]:
    """Wraps a view whose answer is a part that scripts put into the page ``name``.

    Opened by itself, it leads to that page; ``places`` are the parts of the address that both have.
    Without the header that browsers send with it (Sec-Fetch-Mode), the part itself is the answer.
    """

    def wrapped(view: Callable[P, HttpResponse]) -> Callable[P, HttpResponse]:
        @wraps(view)
        def shown(*args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            request = cast(HttpRequest, args[0])
            if request.headers.get("Sec-Fetch-Mode") == "navigate":
                return redirect(reverse(name, kwargs={each: kwargs[each] for each in places}))
            return view(*args, **kwargs)

        return shown

    return wrapped


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
        return refusal_page(request, error)


def _for_scripts(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Returns the target of a form for the script that sent it, which could only follow a
    redirect.
    """
    if request.method == "POST" and is_redirect(response) and wants_json(request):
        return JsonResponse({"to": response["Location"]})
    return response


def show(
    request: HttpRequest, template: str, page: Page, *, status: int = 200, **more: Any
) -> HttpResponse:
    """Renders a page from its context value, which the template knows as ``page``."""
    context = {"page": page, "title": page.title, "crumbs": page.crumbs, **more}
    return render(request, template, context, status=status)
