"""The menu, the theme and the footer of the page shell."""

import pytest
from django.http import HttpResponse
from django.test import RequestFactory, override_settings
from django.urls import include, path

from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import ROLE_SCOPES, Role
from ctxadmin.ui.navigation import nav_items, shell, storage_note
from ctxadmin.ui.theme import Theme, choose_theme, chosen_theme


def answer(request: object) -> HttpResponse:
    return HttpResponse()


urlpatterns = [
    path("", answer, name="overview"),
    path("workflows/", include(([path("", answer, name="list")], "workflows"))),
    path("settings/", answer, name="settings"),
]


def actor(role: Role) -> Actor:
    return Actor(kind="person", id="1", name="anna", workspace=1, scopes=ROLE_SCOPES[role])


@pytest.fixture(autouse=True)
def _three_places() -> object:
    with override_settings(ROOT_URLCONF=__name__):
        yield


def test_places_without_a_page_are_left_out() -> None:
    assert [item.url for item in nav_items(actor(Role.ADMIN), "/")] == [
        "/",
        "/workflows/",
        "/settings/",
    ]


def test_places_that_a_role_may_not_see_are_left_out() -> None:
    assert "/settings/" not in [item.url for item in nav_items(actor(Role.REVIEWER), "/")]


def test_no_one_sees_no_menu() -> None:
    assert nav_items(None, "/") == []


@pytest.mark.parametrize(
    ("here", "current"),
    [("/", ["/"]), ("/workflows/a/", ["/workflows/"]), ("/elsewhere/", [])],
)
def test_the_menu_marks_where_the_reader_is(here: str, current: list[str]) -> None:
    items = nav_items(actor(Role.ADMIN), here)
    assert [item.url for item in items if item.current] == current


def test_the_keys_of_the_menu_differ() -> None:
    keys = [item.key for item in nav_items(actor(Role.ADMIN), "/")]
    assert len(set(keys)) == len(keys)


def test_the_shell_takes_the_actor_that_the_view_has_found() -> None:
    request = RequestFactory().get("/workflows/")
    request.actor = actor(Role.VIEWER)  # type: ignore[attr-defined]
    assert shell(request)["shell"].actor.name == "anna"  # type: ignore[attr-defined]


def test_the_footer_says_how_data_is_kept() -> None:
    assert "no failover" in str(storage_note(embedded=True, live_copy=False))
    assert "Redis" in str(storage_note(embedded=False, live_copy=True))
    assert "no live copy" in str(storage_note(embedded=False, live_copy=False))
    assert "is unavailable" in str(storage_note(embedded=False, live_copy=True, away=True))


@pytest.mark.parametrize("value", ["light", "dark", "auto"])
def test_a_chosen_theme_is_kept(value: str) -> None:
    request = RequestFactory().post("/theme/", {"theme": value, "next": "/workflows/?q=1"})
    response = choose_theme(request)
    assert response["Location"] == "/workflows/?q=1"
    request.COOKIES["theme"] = response.cookies["theme"].value
    assert chosen_theme(request) == Theme(value)


@pytest.mark.parametrize("value", ["", "DARK", "dark; Path=/", "blue"])
def test_a_theme_that_is_none_is_not_kept(value: str) -> None:
    request = RequestFactory().post("/theme/", {"theme": value})
    assert "theme" not in choose_theme(request).cookies
    request.COOKIES["theme"] = value
    assert chosen_theme(request) is Theme.AUTO


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "javascript:x", ""])
def test_the_way_back_stays_on_this_host(target: str) -> None:
    request = RequestFactory().post("/theme/", {"theme": "dark", "next": target})
    assert choose_theme(request)["Location"] == "/"


def test_the_theme_is_chosen_by_post_only() -> None:
    answer = choose_theme(RequestFactory().get("/theme/?theme=dark"))
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert "theme" not in answer.cookies
