"""Large bodies are taken only of who is known by the headers, and refusals suit their readers."""

from collections.abc import Iterator

import httpx
import pytest
from django.conf import settings

from ctxadmin.accounts.models import EngineToken, Membership
from ctxadmin.identity.roles import Role
from ctxadmin.lib import clock
from tests.factories import Api, signed_in
from tests.integration.fast_path import App

pytestmark = pytest.mark.django_db(transaction=True)

LARGE = b'{"title": "' + b"x" * 70_000 + b'"}'


@pytest.fixture
def app() -> Iterator[App]:
    with App() as made:
        yield made


def post(app: App, path: str, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return app.run(lambda http: http.post(path, content=LARGE, headers=named))


@pytest.mark.parametrize("authorization", ["", "Bearer unknown", "Basic eDp5"])
def test_a_large_call_of_no_one_is_unauthenticated(app: App, authorization: str) -> None:
    named = {"Authorization": authorization} if authorization else {}
    answer = post(app, "/api/v1/conversations", **named)
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert answer.headers["Connection"] == "close"
    assert answer.headers["X-Request-ID"]


def test_a_large_call_with_a_token_is_taken(app: App) -> None:
    answer = post(app, "/api/v1/conversations", **app.headers())
    assert answer.status_code == 422  # the title is too long, so it was read


@pytest.mark.parametrize("is_known", [False, True])
def test_a_large_call_without_the_scope_is_refused_before_it_is_read(
    app: App, is_known: bool
) -> None:
    headers = {"Authorization": f"Bearer {Api(()).secret}"}
    if is_known:
        assert app.run(lambda http: http.get("/api/v1/processors", headers=headers))
    for path in ("/api/v1/conversations", "/api/v1/conversations/import"):
        answer = post(app, path, **headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
        assert "needs the scope engine" in answer.json()["detail"]
        assert answer.headers["Connection"] == "close"  # what comes of the body is dropped


def test_a_large_call_that_any_token_may_make_is_taken_without_a_scope(app: App) -> None:
    headers = {"Authorization": f"Bearer {Api(()).secret}"}
    answer = post(app, "/api/v1/filters/apply", **headers)
    assert answer.status_code == 422
    assert "Connection" not in answer.headers


def test_a_token_that_is_revoked_later_opens_nothing(app: App) -> None:
    post(app, "/api/v1/conversations", **app.headers())
    EngineToken.objects.update(revoked_at=clock.now())
    assert post(app, "/api/v1/conversations", **app.headers()).status_code == 401


def test_a_large_form_of_a_visitor_is_too_large_and_says_so_on_a_page(app: App) -> None:
    answer = post(app, "/sign-in/", Accept="text/html", Accept_Language="zh-hans")
    assert answer.status_code == 413
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "Content-Security-Policy" in answer.headers
    assert "<h1" in answer.text
    assert 'lang="zh-hans"' in answer.text


def test_a_large_form_of_a_lost_session_leads_to_signing_in(app: App) -> None:
    cookie = f"{settings.SESSION_COOKIE_NAME}=gone"
    answer = post(app, "/workflows/import/", Cookie=cookie)
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/sign-in/?next=/workflows/import/")


def session(role: Role) -> str:
    cookie = signed_in(role).cookies[settings.SESSION_COOKIE_NAME].OutputString()
    return cookie.partition(";")[0]


def test_a_large_form_of_a_session_is_taken(app: App) -> None:
    answer = post(app, "/workflows/import/", Cookie=session(Role.ADMIN))
    assert answer.status_code == 403  # by the form's own token, so the form was read


@pytest.mark.parametrize(
    ("path", "needs"),
    [
        ("/workflows/import/", "Changing a workflow"),
        ("/conversations/import/", "Importing a conversation"),
        ("/api/v1/conversations", "Creating a conversation"),
        ("/api/v1/workflows/import", "Changing a workflow"),
    ],
)
@pytest.mark.parametrize("is_known", [False, True])
def test_a_large_body_of_a_person_without_the_right_is_refused_before_it_is_read(
    app: App, path: str, needs: str, is_known: bool
) -> None:
    cookie = session(Role.VIEWER)
    if is_known:
        app.run(lambda http: http.get("/conversations/", headers={"Cookie": cookie}))
    answer = post(app, path, Cookie=cookie, Accept="text/html")
    assert answer.status_code == 403
    assert f"{needs} needs the scope" in answer.text
    assert answer.headers["Connection"] == "close"


def test_who_got_the_right_since_is_not_refused(app: App) -> None:
    cookie = session(Role.VIEWER)
    assert post(app, "/workflows/import/", Cookie=cookie).headers["Connection"] == "close"
    Membership.objects.update(role=Role.DESIGNER.value)
    assert "Connection" not in post(app, "/workflows/import/", Cookie=cookie).headers


def test_only_the_page_of_imports_takes_as_much_as_an_import(app: App) -> None:
    headers = {"Cookie": session(Role.ADMIN), "Content-Length": str(settings.MAX_BODY_BYTES + 1)}
    answer = app.run(lambda http: http.post("/conversations/c/edit/", headers=headers))
    assert answer.status_code == 413
