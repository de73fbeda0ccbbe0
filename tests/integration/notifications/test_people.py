"""People are notified once, by mail and browser, of what they chose and have the right to see."""

from collections.abc import Callable
from datetime import timedelta
from smtplib import SMTPServerDisconnected
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from checkpoints.domain.move_commands import MoveExecution
from checkpoints.services import annotations, status_changes
from checkpoints.services.assignments import assign
from ctxadmin.accounts.models import Membership, User
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Role
from ctxadmin.lib.errors import Forbidden, ValidationFailed, VersionConflict
from notifications.domain.kinds import Kind
from notifications.fan_out import enqueue_deliveries
from notifications.models import Choice, Delivery
from notifications.services.choices import PreferenceChoice, choices_of, set_choices
from tests.factories import engine, signed_in, user
from tests.integration.checkpoints.flows import REVIEW, Run, chain, refused
from tests.integration.notifications.conftest import person_of, send_all

pytestmark = pytest.mark.django_db

SECRET = "what-the-customer-said"


@pytest.fixture(autouse=True)
def _mail_server(settings: Any) -> None:
    settings.MAIL = True
    settings.DEFAULT_FROM_EMAIL = "ctxadmin@example.org"
    settings.PUBLIC_URL = "https://ctx.example.org"


def reviewer(name: str, *kinds: Kind, browser: tuple[Kind, ...] = ()) -> Any:
    actor = person_of(name, Role.REVIEWER)
    User.objects.filter(pk=int(actor.id)).update(email=f"{name}@example.org")
    set_choices(actor, PreferenceChoice(kinds, browser))
    return actor


def test_a_mail_tells_with_ids_and_a_link_and_no_content() -> None:
    reviewer("rita", Kind.PAUSED)
    run = Run.start()
    run.pause_now(state_data={"said": SECRET}, messages=[user(SECRET)])
    send_all()
    (letter,) = mail.outbox
    assert letter.to == ["rita@example.org"]
    assert letter.subject == f"Paused: {run.head.public_id}"
    assert f"https://ctx.example.org/executions/{run.head.public_id}/" in letter.body
    assert SECRET not in str(letter.message())
    delivery = Delivery.objects.get()
    assert letter.message()["Message-ID"] == f"<{delivery.id}@ctx.example.org>"
    assert delivery.state == "sent"


def test_one_event_is_one_mail_by_the_first_kind_that_fits() -> None:
    reviewer("rita", Kind.PAUSED, Kind.REVIEW_ASKED)
    chain("w", "a", configs={"a": REVIEW})
    Run.start("w")
    send_all()
    assert [letter.subject.partition(":")[0] for letter in mail.outbox] == ["Waiting for review"]


def test_no_one_is_notified_of_their_own_actions() -> None:
    rita = reviewer("rita", Kind.FAILED, browser=(Kind.FAILED,))
    reviewer("rolf", Kind.FAILED)
    run = Run.start()
    run.pause_now()
    status_changes.reject(rita, run.head.public_id, MoveExecution())
    send_all()
    assert [letter.to for letter in mail.outbox] == [["rolf@example.org"]]
    assert not Delivery.objects.filter(target=rita.id).exists()


def test_choices_are_kept_and_on_record_once() -> None:
    rita = reviewer("rita", Kind.PAUSED, browser=(Kind.FAILED,))
    before = Choice.objects.get(kind=Kind.PAUSED).mail_since
    set_choices(rita, PreferenceChoice([Kind.PAUSED], [Kind.FAILED]))
    assert AuditEntry.objects.filter(action="notification.choose").count() == 1
    set_choices(rita, PreferenceChoice([Kind.PAUSED, Kind.FAILED]))
    assert Choice.objects.get(kind=Kind.PAUSED).mail_since == before
    assert (set(choices_of(rita).mail), choices_of(rita).browser) == (
        {Kind.PAUSED, Kind.FAILED},
        [],
    )


def test_engines_choose_nothing() -> None:
    with pytest.raises(Forbidden):
        set_choices(engine(), PreferenceChoice([Kind.PAUSED]))


def _leave(name: str) -> None:
    Membership.objects.filter(user__username=name).delete()


def _inactive(name: str) -> None:
    User.objects.filter(username=name).update(is_active=False)


def _no_address(name: str) -> None:
    User.objects.filter(username=name).update(email="")


def _unchosen(name: str) -> None:
    Choice.objects.filter(user__username=name).update(mail_since=None)


@pytest.mark.parametrize(
    ("happens", "problem"),
    [
        (_leave, "rights"),
        (_inactive, "rights"),
        (_no_address, "unwanted"),
        (_unchosen, "unwanted"),
    ],
)
def test_nothing_is_sent_to_who_may_not_or_does_not_want_to_hear_by_now(
    happens: Callable[[str], None], problem: str
) -> None:
    reviewer("rita", Kind.PAUSED)
    Run.start().pause_now()
    enqueue_deliveries()
    happens("rita")
    send_all()
    assert mail.outbox == []
    assert [(row.state, row.problem) for row in Delivery.objects.all()] == [("dead", problem)]


def test_a_mail_server_that_is_down_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, later: Callable[[timedelta], None]
) -> None:
    reviewer("rita", Kind.PAUSED)
    Run.start().pause_now()

    def away(*_: Any, **__: Any) -> int:
        raise SMTPServerDisconnected("away")

    with monkeypatch.context() as broken:
        broken.setattr("django.core.mail.EmailMessage.send", away)
        send_all()
    assert Delivery.objects.get().problem == "mail"
    later(timedelta(seconds=10))
    send_all()
    assert len(mail.outbox) == 1


def test_the_browser_of_a_person_asks_for_news() -> None:
    client = signed_in(Role.REVIEWER)
    client.post("/notifications/", {"browser": ["execution.paused", "execution.dreamt"]})
    start = ask(client)
    assert start["results"] == []
    run = Run.start()
    run.pause_now()
    enqueue_deliveries()
    found = ask(client, start["next"])
    assert [piece["link"] for piece in found["results"]] == [f"/executions/{run.head.public_id}/"]
    assert found["results"][0]["said"] == "Paused for any reason"
    assert mail.outbox == []
    assert ask(signed_in(Role.VIEWER), start["next"])["results"] == []
    assert ask(signed_in(Role.REVIEWER, "elsewhere"), start["next"])["results"] == []


@pytest.mark.parametrize("after", ["soon", "2026-13-01T00:00:00Z", "2026-01-01T00:00:00", "0001"])
def test_news_since_no_moment_are_refused(after: str) -> None:
    answer = signed_in(Role.VIEWER).get("/notifications/news/", {"after": after})
    assert answer.status_code == 422


def ask(client: Client, after: str = "") -> Any:
    return client.get("/notifications/news/", {"after": after} if after else {}).json()


def test_every_member_chooses_on_a_page_of_their_own(settings: Any) -> None:
    client = signed_in(Role.VIEWER)
    assert client.post("/notifications/", {"mail": ["execution.failed"]}).status_code == 302
    html = client.get("/notifications/").content.decode()
    assert 'name="mail" value="execution.failed" aria-label="Email: Failed' in html
    assert html.count('"Email: Failed or rejected" checked>') == 1
    assert "An admin can set it" in html
    User.objects.update(email="vera@example.org")
    assert "vera@example.org" in client.get("/notifications/").content.decode()
    assert "/settings/webhooks/" not in html
    settings.MAIL = False
    assert "does not send email" in client.get("/notifications/").content.decode()


def paused() -> Run:
    run = Run.start()
    run.pause_now()
    return run


def test_who_gets_a_review_from_a_colleague_is_reported() -> None:
    boss, rita = person_of("boss"), reviewer("rita", Kind.ASSIGNED, browser=(Kind.ASSIGNED,))
    reviewer("rolf", Kind.ASSIGNED)
    run = paused()
    assert assign(boss, run.head.public_id, "rita").holder == "person:rita"
    assign(boss, run.head.public_id, "rita", over=True)  # twice is once
    send_all()
    (letter,) = mail.outbox
    assert (letter.to, letter.subject) == (
        ["rita@example.org"],
        f"Assigned to you: {run.head.public_id}",
    )
    rows = Delivery.objects.filter(target=rita.id)
    assert sorted(rows.values_list("channel", flat=True)) == ["browser", "mail"]
    entry = AuditEntry.objects.filter(action="review.claim").get()
    assert b'"to":"person:rita"' in bytes(entry.detail)


def test_an_assignment_to_oneself_notifies_nobody() -> None:
    rita = reviewer("rita", Kind.ASSIGNED)
    assign(rita, paused().head.public_id, "rita")
    assert not Delivery.objects.exists()


def test_a_review_is_given_away_but_not_taken_from_others_unasked() -> None:
    boss, rita = person_of("boss"), reviewer("rita")
    reviewer("rolf")
    name = paused().head.public_id
    annotations.claim(rita, name)
    with pytest.raises(VersionConflict):
        assign(boss, name, "rolf")
    assert assign(rita, name, "rolf").holder == "person:rolf"
    assert assign(boss, name, "rita", over=True).holder == "person:rita"


def test_only_reviewers_of_the_workspace_get_reviews() -> None:
    boss = person_of("boss")
    person_of("vera", Role.VIEWER)
    person_of("theo", Role.REVIEWER, "elsewhere")
    name = paused().head.public_id
    for nobody in ("vera", "theo", "nobody", "BOSS"):
        with pytest.raises(ValidationFailed):
            assign(boss, name, nobody)
    with pytest.raises(Forbidden):
        assign(engine(), name, "boss")


def test_a_review_is_assigned_by_rest_and_on_a_page() -> None:
    reviewer("rita", Kind.ASSIGNED)
    run = paused()
    answer = run.post("claim", {"assignee": "rita"})
    assert answer.json()["holder"] == "person:rita"
    refused(run.post("claim", {"assignee": "nobody"}), 422, "validation", "/assignee")
    refused(run.post("claim"), 409, "version_conflict")
    client = signed_in(Role.REVIEWER)
    page = f"/executions/{run.head.public_id}/assign/"
    assert "<option>rita</option>" in client.get(page).content.decode()
    shown = client.post(page, {"assignee": "reviewer-default"}, follow=True).content.decode()
    assert "Assigned to reviewer-default." in shown
    assert "Claimed by you" in shown
    assert client.post(page, {"assignee": "nobody"}).status_code == 422
    assert signed_in(Role.VIEWER).get(page).status_code == 403
    run.post("resume")
    gone = client.post(page, {"assignee": "rita"}, follow=True).content.decode()
    assert "Only a paused execution can be claimed." in gone


def test_a_mail_that_was_given_up_is_shown_and_sent_again() -> None:
    client = signed_in(Role.REVIEWER)
    client.post("/notifications/", {"mail": ["execution.paused"]})
    run = paused()
    send_all()
    assert Delivery.objects.get().problem == "unwanted"  # there is no address yet
    page = client.get("/notifications/").content.decode()
    assert "Undelivered emails" in page
    User.objects.filter(username="reviewer-default").update(email="rita@example.org")
    name = Delivery.objects.get().id
    other = signed_in(Role.ADMIN)
    assert other.post("/notifications/", {"resend": name}).status_code == 404
    assert client.post("/notifications/", {"resend": name}).status_code == 302
    assert client.post("/notifications/", {"resend": name}).status_code == 302  # twice is once
    send_all()
    assert [letter.subject for letter in mail.outbox] == [f"Paused: {run.head.public_id}"]
    assert "did not arrive" not in client.get("/notifications/").content.decode()
    entries = AuditEntry.objects.filter(action="notification.choose")
    assert [b"sent again" in bytes(entry.detail) for entry in entries.order_by("seq")] == [
        False,
        True,
    ]
