"""Whether a token has the scope that a call needs, before its body is taken.

Only what the endpoint would refuse before it reads the body is refused here, in its words.
"""

from django.urls import Resolver404, resolve

from ctxadmin.http.described import description_of
from ctxadmin.http.early_answers import RefusedEarly, Scope
from ctxadmin.identity import roles
from ctxadmin.lib.errors import Forbidden


def is_allowed(scope: Scope, scopes: frozenset[roles.Scope]) -> bool:
    """False if the endpoint of a request will refuse a token with these scopes."""
    action = needed(scope)
    return not action or any(roles.allows_to_own(scopes, each) for each in action)


def require_right(scope: Scope, scopes: frozenset[roles.Scope]) -> None:
    """RefusedEarly with 403 unless ``is_allowed``."""
    if not is_allowed(scope, scopes):
        needs = needed(scope)[0]
        text = f"{needs.value} needs the scope {' or '.join(roles.who_may(needs))}."
        raise RefusedEarly(403, Forbidden.code, text)


def needed(scope: Scope) -> tuple[roles.Action, ...]:
    """The actions of which one is needed for the body of a request; none if it is not said."""
    try:
        view = getattr(resolve(scope["path"]).func, "cls", None)
    except Resolver404:
        return ()
    about = description_of(getattr(view, scope["method"].lower(), None))
    if about is None or about.body is None or about.needs is None:
        return ()
    return (about.needs,) if about.or_needs is None else (about.needs, about.or_needs)
