"""Forms that were filled in for what is not there any more, and addresses that take forms only."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from checkpoints.models import Checkpoint, Claim, Label
from conversations.models import Comment
from ctxadmin.identity.roles import Role
from ctxadmin.lib import clock
from tests.factories import browser, signed_in
from tests.integration.checkpoints.flows import everything, ok
from tests.integration.pages.execution_scenes import (
    another,
    field_of,
    form_of,
    hidden,
    page,
    paused,
    text,
    url,
)

pytestmark = pytest.mark.django_db
SAMPLES = {"int": 1, "str": "x"}


def page_paths(
    patterns: list[URLPattern | URLResolver], prefix: str = "", *, within: str = ""
) -> Iterator[str]:
    """A path of every page, with sample arguments."""
    for each in patterns:
        if isinstance(each, URLResolver):
            if str(each.pattern) not in ("api/", "api/v1/", "operator/"):
                below = f"{within}{each.namespace}:" if each.namespace else within
                yield from page_paths(each.url_patterns, prefix, within=below)
        elif each.name:
            converters = each.pattern.converters
            args = {
                name: SAMPLES["int" if "Int" in type(converter).__name__ else "str"]
                for name, converter in converters.items()
            }
            yield reverse(within + each.name, kwargs=args)


def test_every_address_of_a_form_can_be_opened(reviewer: Client) -> None:
    # Scripts alone ask what stands below the editor, and send drafts; no browser shows the address.
    called = re.compile(r"/editor/.|/state/draft/$")
    paths = [each for each in page_paths(get_resolver().url_patterns) if not called.search(each)]
    assert "/executions/x/move/" in paths
    assert "/sign-out/" in paths
    for who in (reviewer, Client()):
        refused = [path for path in paths if who.get(path).status_code == 405]
        assert refused == []


def test_who_signs_in_after_a_lost_decision_is_led_to_the_execution(reviewer: Client) -> None:
    run = paused()
    lost = Client().post(url(run, "move/"), {"move": "approve", "reason": "fine"})
    assert lost["Location"] == f"/sign-in/?next={url(run, 'move/')}"
    assert reviewer.get(url(run, "move/"))["Location"] == url(run)


def test_a_refused_move_says_where_its_page_can_be_read(reviewer: Client) -> None:
    run = paused()
    refused = reviewer.post(url(run, "move/"), {"move": "reject"})
    assert f'data-address="{url(run)}"' in text(refused)


@pytest.mark.parametrize("path", ["cancel/", "versions/1/restore/", "versions/1/fork/"])
def test_a_form_about_another_execution_changes_nothing(reviewer: Client, path: str) -> None:
    run = paused()
    asked = page(reviewer, run, path)
    sent = {"execution": hidden(asked, "execution"), "expected_version": "1", "reason": "as typed"}
    another(run)
    versions = len(run.versions())
    answer = reviewer.post(url(run, path), sent)
    assert answer.status_code == 409
    assert "Another execution has started" in text(answer)
    assert run.snapshot()["status"] == "PAUSED"
    assert len(run.versions()) == versions
    assert "Forked from here" not in page(reviewer, run)


def typed(answer: Any) -> list[str]:
    """What a page gives back to be copied, with the names of the fields."""
    found = re.findall(
        r"<span>(Your text: [^<]*)</span>.*?<code>([^<]*)</code>", text(answer), re.DOTALL
    )
    return [f"{field}: {said}" for field, said in found]


FORK = {"id": "kinder", "title": "What if we were kinder"}
TYPED_FORK = [
    "Your text: Id of the new conversation: kinder",
    "Your text: Title: What if we were kinder",
]


def test_all_that_was_typed_into_a_fork_that_is_refused_is_reported(reviewer: Client) -> None:
    run = paused()
    asked = page(reviewer, run, "versions/1/fork/")
    another(run)
    sent = FORK | {"execution": hidden(asked, "execution")}
    answer = reviewer.post(url(run, "versions/1/fork/"), sent)
    assert (answer.status_code, typed(answer)) == (409, TYPED_FORK)


def test_a_fork_of_a_version_that_was_thinned_meanwhile_keeps_what_was_typed(
    reviewer: Client,
) -> None:
    run = paused()
    asked = page(reviewer, run, "versions/1/fork/")
    Checkpoint.objects.filter(version=1).update(thinned_at=clock.now())
    sent = FORK | {"execution": hidden(asked, "execution")}
    answer = reviewer.post(url(run, "versions/1/fork/"), sent)
    assert (answer.status_code, typed(answer)) == (404, TYPED_FORK)
    assert "was removed by retention" in text(answer)
    assert reviewer.get(url(run, "versions/1/fork/")).status_code == 404


@pytest.mark.parametrize("path", ["move/", "cancel/", "versions/0/restore/"])
def test_a_reason_for_the_former_execution_does_not_stand_in_the_form_of_the_new_one(
    reviewer: Client, path: str
) -> None:
    run = paused()
    sent = {"execution": hidden(page(reviewer, run), "execution"), "expected_version": "1"}
    sent |= {"reason": "as typed", "move": "reject"}
    another(run)
    answer = reviewer.post(url(run, path), sent)
    assert (answer.status_code, typed(answer)) == (409, ["Your text: Reason: as typed"])
    form = re.findall(r'<textarea[^>]*name="reason"[^>]*>([^<]*)</textarea>', text(answer))
    assert [each.strip() for each in form] == [""]


@pytest.mark.parametrize(
    "path", ["versions/1/label/", "comment/?version=1", "comment/?version=1&key=draft"]
)
def test_input_for_another_execution_is_not_written_and_stays_in_the_form(
    reviewer: Client, path: str
) -> None:
    run = paused()
    fields = {
        "execution": hidden(page(reviewer, run, path), "execution"),
        "text": "of the one before",
    }
    another(run)
    for _again in range(2):
        answer = reviewer.post(url(run, path), fields)
        assert answer.status_code == 409
        assert "Another execution has started" in text(answer)
        assert "of the one before" in text(answer)
        fields["execution"] = hidden(text(answer), "execution")
    assert not Label.objects.exists()
    assert not Comment.objects.exists()


def test_a_version_that_the_other_execution_does_not_have_is_no_reason_to_lose_a_label(
    reviewer: Client,
) -> None:
    run = paused()
    ok(run.post("approve"))
    version = run.snapshot()["version"]
    path = f"versions/{version}/label/"
    execution = hidden(page(reviewer, run, path), "execution")
    another(run)
    answer = reviewer.post(url(run, path), {"execution": execution, "text": "the good one"})
    assert (answer.status_code, "the good one" in text(answer)) == (409, True)


def test_links_of_a_version_lead_to_no_form_of_another_execution(reviewer: Client) -> None:
    run = paused()
    shown = page(reviewer, run, "versions/1/")
    links = re.findall(r'href="/executions/[^/]+/((?:versions/1/label|comment)/[^"]*)"', shown)
    assert len(links) >= 3
    another(run)
    for link in links:
        assert reviewer.get(url(run, link.replace("&amp;", "&"))).status_code == 409, link


def test_no_one_is_assigned_to_an_execution_that_was_not_seen(reviewer: Client) -> None:
    run = paused()
    asked = page(reviewer, run, "assign/")
    another(run)
    name = re.findall(r"<option>([^<]*)</option>", asked)[0]
    sent = {"execution": hidden(asked, "execution"), "assignee": name}
    answer = reviewer.post(url(run, "assign/"), sent, follow=True)
    assert "Another execution has started" in text(answer)
    assert not Claim.objects.exists()


@pytest.mark.parametrize(
    ("shown", "path"),
    [
        ("", "cancel/"),
        ("", "assign/"),
        ("versions/0/", "versions/0/restore/"),
        ("versions/0/", "versions/0/fork/"),
    ],
)
def test_a_link_of_another_execution_leads_to_the_one_of_now(
    reviewer: Client, shown: str, path: str
) -> None:
    run = paused()
    seen = page(reviewer, run, shown)
    link = url(run, path) + "?execution="
    assert link in seen
    link += seen.split(link)[1].partition('"')[0]
    assert reviewer.get(link).status_code == 200
    another(run)
    answer = reviewer.get(link)
    assert answer.status_code == 409
    assert "Another execution has started" in text(answer)


def test_a_refused_cancellation_keeps_its_reason(reviewer: Client) -> None:
    run = paused()
    sent = {"expected_version": "0", "reason": "it is of no use"}
    answer = reviewer.post(url(run, "cancel/"), sent)
    assert answer.status_code == 409
    assert "it is of no use" in text(answer)


def test_a_form_out_of_date_says_so_and_leads_back_to_it() -> None:
    run = paused()
    client = browser(Role.REVIEWER)
    page(client, run)
    answer = client.post(url(run, "move/"), {"move": "approve", "csrfmiddlewaretoken": "a" * 64})
    assert answer.status_code == 403
    html = text(answer)
    assert "The form is out of date" in html
    assert f'href="{url(run, "move/")}">Open the form again' in html
    assert "Your role" not in html
    assert run.snapshot()["status"] == "PAUSED"


def test_a_browser_without_cookies_gets_an_explanation() -> None:
    answer = Client(enforce_csrf_checks=True).post("/sign-in/", {"username": "a", "password": "b"})
    assert answer.status_code == 403
    assert "Cookies are disabled" in text(answer)
    assert 'href="/sign-in/">Open the form again' in text(answer)


def test_a_summary_is_shown_again_as_it_was_sent(reviewer: Client) -> None:
    run = paused()
    fields = form_of(page(reviewer, run, "state/"))
    fields[f"value-{field_of(fields, 'draft')}"] = "Dear friend"
    summary = text(reviewer.post(url(run, "state/"), {**fields, "step": "review"}))
    names = ("version", "execution", "seq", "edit", "expected_revision", "expected_count")
    sent = {name: hidden(summary, name) for name in names} | {"reason": "warmer"}
    again = text(reviewer.post(url(run, "state/"), {**sent, "step": "look"}))
    assert "Dear <ins>friend</ins>" in again
    assert "warmer" in again
    assert run.snapshot()["version"] == 1
    ok(run.post("approve"))
    answer = reviewer.post(url(run, "state/"), {**sent, "step": "look"})
    assert answer.status_code == 409
    assert "Dear friend" in text(answer)


@pytest.mark.parametrize("path", ["/workflows/letter/nodes/write/", "/workflows/letter/edit/"])
def test_what_draws_a_form_again_saves_nothing(path: str) -> None:
    paused()
    designer = signed_in(Role.DESIGNER)
    before = everything()
    name, value = re.findall(r'data-draft="([^"]+)"', text(designer.get(path)))[0].split("=")
    answer = designer.post(path, {name: value, "name": "typed", "node-name": "typed"})
    assert answer.status_code == 200
    assert 'value="typed"' in text(answer)
    assert everything() == before
