"""The calls of the graphical editor: authenticated by session, with a JSON answer for a script."""

from collections.abc import Callable
from functools import wraps
from io import BytesIO
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import orjson
from django.conf import settings
from django.db import Error
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods
from pydantic import JsonValue

from ctxadmin.accounts.authentication import person_actor
from ctxadmin.accounts.session_use import ignore_use
from ctxadmin.http.endpoints.json_body import read_body
from ctxadmin.http.problems import of_error, of_exception, problem
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.contract import Contract, parse
from ctxadmin.lib.errors import ContextError, ValidationFailed
from ctxadmin.lib.json_bytes import loads_strict
from ctxadmin.ui.sentences import translated
from workflows.models import Workflow
from workflows.store.workflow import find_workflow

P = ParamSpec("P")
BodyT = TypeVar("BodyT", bound=Contract)
EditorCall = Callable[Concatenate[HttpRequest, Actor, P], HttpResponse]

JSON: Final = "application/json"


def editor_call(view: EditorCall[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Wraps a POST by a signed-in member; every refusal is problem+json in the
    reader's language.

    A script cannot follow a redirect to the sign-in page, so it gets 401. A person who opens the
    address is redirected to the editor. The editor previews and summarizes automatically, also
    changes of others, and these calls store nothing: they do not prolong the session, saving does.
    """
    answered = saving_call(view)

    @wraps(view)
    def called(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        ignore_use(request)
        return answered(request, *args, **kwargs)

    return called


def saving_call(view: EditorCall[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Wraps a POST that stores what its person did: an editor's call that prolongs the session."""

    @require_http_methods(["GET", "HEAD", "POST"])
    @wraps(view)
    def called(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if request.method != "POST":
            return redirect("workflows:editor", kwargs["slug"])
        try:
            if not request.user.is_authenticated:
                return problem(401, "unauthenticated", _("You are signed out; sign in again."))
            actor = person_actor(request)
            if actor is None:
                return problem(403, "forbidden", _("You are not allowed to do this."))
            return view(request, actor, *args, **kwargs)
        except ContextError as error:
            return of_error(error, translated)
        except Error as error:
            return of_exception(error)

    return called


def workflow_named(actor: Actor, slug: str) -> Workflow:
    """Returns the edited workflow; raises NotFound for one of another workspace."""
    return find_workflow(actor.workspace, slug)


def json_body(request: HttpRequest, model: type[BodyT]) -> BodyT:
    """Returns the strict JSON body of a call."""
    if request.content_type != JSON:
        raise ValidationFailed(_("Send a JSON body."), malformed=True)
    return parse(model, read_body(BytesIO(request.body), settings.MAX_BODY_BYTES))


def json_field(text: str, pointer: str) -> JsonValue:
    """Returns the JSON in a form's field."""
    try:
        return loads_strict(text.encode("utf-8", "surrogatepass"))
    except ValidationFailed as error:
        raise ValidationFailed.at(pointer, error.detail) from None


def json_answer(data: Any) -> HttpResponse:
    """Returns a JSON answer that no cache stores."""
    return HttpResponse(
        orjson.dumps(data), content_type=JSON, headers={"Cache-Control": "no-store"}
    )
