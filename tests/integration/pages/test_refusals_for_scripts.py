"""What refuses a request before any view: a script gets what it can read, a person a page."""

import pytest
from django.db import OperationalError
from django.test import Client
from django.test.client import RequestFactory

from ctxadmin.lib.errors import Unavailable
from ctxadmin.ui import error_pages

pytestmark = pytest.mark.django_db
SCRIPTS = {
    "the editor": {"Accept": "application/json, text/html"},
    "kept edits": {"Accept": "application/json"},
}
PEOPLE = {
    "a browser": {"Accept": "text/html,application/xhtml+xml,application/json;q=0.9"},
    "htmx": {"Accept": "text/html"},
    "nobody": {},
}


@pytest.mark.parametrize("who", [*SCRIPTS, *PEOPLE])
def test_a_call_without_the_token_of_its_form_is_refused_in_words_that_its_caller_reads(
    who: str,
) -> None:
    client = Client(enforce_csrf_checks=True)
    client.cookies["csrftoken"] = "0" * 32
    answer = client.post("/workflows/new/", headers=SCRIPTS.get(who) or PEOPLE[who])
    assert answer.status_code == 403
    if who in PEOPLE:
        assert answer["Content-Type"].startswith("text/html")
        return
    assert answer["Content-Type"] == "application/problem+json"
    said = answer.json()
    assert said["code"] == "forbidden"
    assert "Nothing was changed" in said["detail"]


@pytest.mark.parametrize("path", ["/metrics", "/api/v1/conversations"])
def test_programs_are_notified_of_an_outage_without_a_page(path: str) -> None:
    answer = error_pages.unavailable(RequestFactory().get(path), Unavailable("It is away."))
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["Retry-After"]


def test_a_person_gets_a_page_of_an_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise OperationalError(2002, "away")

    monkeypatch.setattr("django.contrib.sessions.backends.db.SessionStore.load", away)
    client = Client(raise_request_exception=False)
    client.cookies["ctxadmin"] = "x" * 32
    answer = client.get("/conversations/", headers=PEOPLE["a browser"])
    assert answer.status_code == 503
    assert answer["Content-Type"].startswith("text/html")
    answer = client.get("/conversations/", headers=SCRIPTS["the editor"])
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
