"""Checks the scope that a request needs before its body is read.

It refuses only what the endpoint or page would refuse before it reads the body, in the same words.
"""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from django.urls import Resolver404, resolve

from ctxadmin.http.described import description_of
from ctxadmin.http.requests.early_responses import RefusedEarly, Scope
from ctxadmin.identity import roles
from ctxadmin.lib.errors import Forbidden

ViewT = TypeVar("ViewT", bound=Callable[..., Any])
_OF_PAGE: Final = "body_needs"


def body_needs(action: roles.Action) -> Callable[[ViewT], ViewT]:
    """Registers what a page with large bodies requires before it reads them."""

    def mark_view(view: ViewT) -> ViewT:
        setattr(view, _OF_PAGE, action)
        return view

    return mark_view


def is_allowed(scope: Scope, scopes: frozenset[roles.Scope]) -> bool:
    """Returns False if the endpoint of a request will refuse a caller with these scopes."""
    action = needed_actions(scope)
    return not action or any(roles.allows_to_own(scopes, each) for each in action)


def require_right(scope: Scope, scopes: frozenset[roles.Scope]) -> None:
    """Raises RefusedEarly with 403 unless ``is_allowed``."""
    if not is_allowed(scope, scopes):
        needs = needed_actions(scope)[0]
        raise RefusedEarly(403, Forbidden.code, roles.refusal(needs))


def needed_actions(scope: Scope) -> tuple[roles.Action, ...]:
    """Returns the actions of which one is needed for the body of a request; none if unknown."""
    try:
        found = resolve(scope["path"]).func
    except Resolver404:
        return ()
    if (of_page := getattr(found, _OF_PAGE, None)) is not None:
        return (of_page,) if scope["method"] == "POST" else ()
    view = getattr(found, "cls", None)
    about = description_of(getattr(view, scope["method"].lower(), None))
    if about is None or about.body is None or about.needs is None:
        return ()
    return (about.needs,) if about.or_needs is None else (about.needs, about.or_needs)
