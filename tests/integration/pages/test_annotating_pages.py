"""Comments, labels and claims on the pages, and the queue of reviews."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from checkpoints.models import Claim, Label, PendingEdit
from conversations.models import Comment
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Role
from ctxadmin.lib import clock
from tests.factories import Api, conversation, engine, signed_in, user
from tests.integration.pages.execution_scenes import hidden, move, paused, running, status, url
from tests.integration.pages.state_edits import opened, send, typed

pytestmark = pytest.mark.django_db

HOSTILE = "<script>alert(1)</script>"


def text(answer: Any) -> str:
    return str(answer.content.decode())


def test_a_message_is_commented_on_and_the_comment_taken_back(reviewer: Client) -> None:
    conversation(user("hi"), user("there"), public_id="chat")
    asked = "/executions/chat/comment/?message=1"
    assert "Comment on message #1" in text(reviewer.get(asked))
    answer = reviewer.post(asked, {"text": f"Look at this. {HOSTILE}"})
    assert answer["Location"] == "/conversations/chat/?at=1#m1"
    page = text(reviewer.get("/conversations/chat/"))
    assert "Look at this. &lt;script&gt;" in page.split('id="m1"')[1]
    assert "<script>alert" not in page
    number = Comment.objects.get().number
    assert "for good" in text(reviewer.get(f"/executions/chat/comments/{number}/take-back/"))
    reviewer.post(f"/executions/chat/comments/{number}/take-back/")
    assert Comment.objects.count() == 0
    actions = AuditEntry.objects.order_by("seq").values_list("action", flat=True)
    assert list(actions)[-2:] == ["comment.write", "comment.delete"]


def test_versions_and_keys_are_commented_on(reviewer: Client) -> None:
    run = paused()
    for query, said in (("version=1", "of the version"), ("version=1&key=draft", "of the key")):
        assert reviewer.post(url(run, f"comment/?{query}"), {"text": said}).status_code == 302
    page = text(reviewer.get(url(run, "versions/1/")))
    assert "of the version" in page
    assert "of the key" in page.split(">draft<")[1].split("</li>")[0]
    assert page.count("of the key") == 1
    assert "of the key" not in text(reviewer.get(url(run, "versions/0/")))


def test_a_comment_is_beside_later_values_of_its_key_with_its_version(
    reviewer: Client,
) -> None:
    run = paused()
    reviewer.post(url(run, "comment/?version=1&key=draft"), {"text": "too stiff"})
    reviewer.post(url(run, "comment/?version=1&key=count"), {"text": "why three"})
    assert run.update("review", state_data={"draft": "Dear friend"}).status_code == 200
    for path in ("", "versions/2/"):
        page = text(reviewer.get(url(run, path)))
        card = page.split('id="state"')[1]
        of_count, of_draft = (
            card.split(f'translate="no">{key}<')[1].split("</ul>")[0] for key in ("count", "draft")
        )
        assert "too stiff" in of_draft
        assert "at version 1" in of_draft
        assert "changed since" in of_draft
        assert "why three" in of_count
        assert "changed since" not in of_count
    page = text(reviewer.get(url(run, "versions/1/")))
    assert "too stiff" in page
    assert "changed since</span>" not in page


def test_a_comment_on_a_hidden_key_is_with_those_on_the_version(
    reviewer: Client,
) -> None:
    run = paused()
    reviewer.post(url(run, "comment/?version=1&key=draft"), {"text": "too stiff"})
    page = text(reviewer.get(url(run, "versions/1/?q=count")))
    assert '<code translate="no">draft</code>' in page.split('id="state"')[1]


@pytest.mark.parametrize(
    ("query", "status"),
    [("", 422), ("message=x", 422), ("message=0&version=1", 422), ("message=99", 404)],
)
def test_a_comment_on_nothing_is_refused(reviewer: Client, query: str, status: int) -> None:
    run = paused()
    assert reviewer.get(url(run, f"comment/?{query}")).status_code == status


def test_an_empty_comment_is_reported_at_its_field(reviewer: Client) -> None:
    run = paused()
    answer = reviewer.post(url(run, "comment/?version=1"), {"text": "  "})
    assert (answer.status_code, Comment.objects.count()) == (422, 0)
    assert 'aria-invalid="true"' in text(answer)
    assert reviewer.post(url(run, "comment/?version=9"), {"text": "a"}).status_code == 404


def test_a_version_is_labelled_renamed_and_the_label_removed(reviewer: Client) -> None:
    run = paused()
    label = url(run, "versions/1/label/")
    assert reviewer.post(label, {"text": f"good {HOSTILE}"}).status_code == 302
    for path in ("versions/1/", "timeline/", ""):
        page = text(reviewer.get(url(run, path)))
        assert "good &lt;script&gt;" in page
        assert "<script>alert" not in page
    assert reviewer.post(label, {"text": "better"}).status_code == 302
    assert Label.objects.get().name == "better"
    assert reviewer.post(label, {"text": ""}).status_code == 422
    assert reviewer.post(label, {"text": "x" * 81}).status_code == 422
    assert reviewer.post(label, {"remove": "1"}).status_code == 302
    assert Label.objects.count() == 0
    assert reviewer.get(url(run, "versions/9/label/")).status_code == 404


def test_the_timeline_tells_how_long_a_version_took(reviewer: Client) -> None:
    page = text(reviewer.get(url(paused(), "timeline/")))
    assert re.search(r"Changes since the previous version\">[\d.]+ m?s<", page)


def test_a_viewer_reads_and_writes_nothing() -> None:
    run = paused()
    name = run.head.public_id
    run.api.post(f"/conversations/{name}/comments", {"text": "said", "message": 0})
    viewer = signed_in(Role.VIEWER)
    assert "said" in text(viewer.get(f"/conversations/{name}/"))
    assert "/comment/" not in text(viewer.get(f"/conversations/{name}/"))
    assert "/claim/" not in text(viewer.get("/reviews/"))
    for path in ("comment/?message=0", "versions/1/label/", "claim/"):
        assert viewer.post(url(run, path), {"text": "x", "do": "claim"}).status_code == 403
    number = Comment.objects.get().number
    assert viewer.post(url(run, f"comments/{number}/take-back/")).status_code == 403
    assert (Comment.objects.count(), Claim.objects.count()) == (1, 0)


def test_someone_elses_comment_is_taken_back_only_by_an_admin(reviewer: Client) -> None:
    run = paused()
    Api().post(f"/conversations/{run.head.public_id}/comments", {"text": "said", "message": 0})
    path = url(run, f"comments/{Comment.objects.get().number}/take-back/")
    assert "Remove" not in text(reviewer.get(f"/conversations/{run.head.public_id}/"))
    assert reviewer.post(path).status_code == 403
    assert signed_in(Role.ADMIN).post(path).status_code == 302


@pytest.mark.parametrize(
    "path", ["comment/?message=0", "versions/0/label/", "claim/", "comments/1/take-back/"]
)
def test_what_is_of_another_workspace_is_not_found(reviewer: Client, path: str) -> None:
    conversation(user("x"), actor=engine(slug="other"), public_id="theirs")
    for method in (reviewer.get, reviewer.post):
        assert method(f"/executions/theirs/{path}").status_code == 404


def test_the_queue_tells_who_waits_longest_and_who_looks_after_it(reviewer: Client) -> None:
    first, second = paused(), paused("other")
    running()
    page = text(reviewer.get("/reviews/"))
    places = [page.index(f"/executions/{each.head.public_id}/") for each in (first, second)]
    assert places == sorted(places)
    assert page.count('class="waiting"') == 2
    sent = {"do": "claim", "from": "reviews"}
    assert reviewer.post(url(second, "claim/"), sent)["Location"] == (
        f"/reviews/#review-{second.head.public_id}"
    )
    there = text(reviewer.get("/reviews/"))
    assert "Claimed by you" in there
    assert "You claimed" not in there  # the line says so, and no other is moved
    mine = text(reviewer.get("/reviews/?who=mine"))
    assert mine.count('class="waiting"') == 1
    assert second.head.public_id in mine
    assert first.head.public_id in text(reviewer.get("/reviews/?who=free"))
    assert text(reviewer.get("/reviews/?workflow=other")).count('class="waiting"') == 1
    assert "Nothing matches" in text(reviewer.get("/reviews/?workflow=żółw"))
    assert reviewer.get("/reviews/?who=x").status_code == 422


def test_a_claim_is_taken_over_and_released_and_ends_with_the_pause(reviewer: Client) -> None:
    run = paused()
    reviewer.post(url(run, "claim/"), {"do": "claim"})
    other = signed_in(Role.DESIGNER)
    answer = other.post(url(run, "claim/"), {"do": "claim"}, follow=True)
    assert "Already claimed by reviewer-default." in text(answer)
    assert "Take over" in text(answer)
    other.post(url(run, "claim/"), {"do": "take-over"})
    assert ">designer-default</span>" in text(reviewer.get(url(run)))
    answer = reviewer.post(url(run, "claim/"), {"do": "release"}, follow=True)
    assert "Claimed by designer-default; claim it first." in text(answer)
    run.post("approve")
    assert "claim it first" not in text(reviewer.get(url(run)))
    answer = reviewer.post(url(run, "claim/"), {"do": "claim"}, follow=True)
    assert "Only a paused execution can be claimed." in text(answer)


def test_the_queue_comes_in_pages_and_at_a_bounded_cost(
    reviewer: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for name in ("one", "two", "three"):
        paused(name)
    with django_assert_max_num_queries(14):
        page = text(reviewer.get("/reviews/?limit=2"))
    assert page.count('class="waiting"') == 2
    on = re.findall(r'href="(\?[^"]*cursor=[^"]*)"', page)[0].replace("&amp;", "&")
    second = text(reviewer.get(f"/reviews/{on}"))
    assert second.count('class="waiting"') == 1
    sent = {"do": "claim", "from": "reviews", "cursor": hidden(second, "cursor")}
    path = re.findall(r'action="(/executions/[^"]*/claim/)"', second)[0]
    assert "cursor=" in reviewer.post(path, sent)["Location"]


def test_what_waits_is_counted_for_the_own_workspace(reviewer: Client) -> None:
    assert reviewer.get("/reviews/waiting/").json() == {"count": 0, "newest": None}
    run = paused()
    told = reviewer.get("/reviews/waiting/").json()
    assert (told["count"], told["newest"]["conversation"]) == (1, run.head.public_id)
    stranger = signed_in(Role.REVIEWER, "other")
    assert stranger.get("/reviews/waiting/").json()["count"] == 0


def test_a_review_that_another_has_claimed_is_decided_after_a_question(reviewer: Client) -> None:
    run = paused()
    other = signed_in(Role.DESIGNER)
    other.post(url(run, "claim/"), {"do": "claim"})
    answer = move(reviewer, run, "approve", reason="it is fine")
    assert answer.status_code == 409
    html = text(answer)
    assert "designer-default has claimed this. Approve anyway?" in html
    assert "it is fine</textarea>" in html
    assert status(run) == "PAUSED"
    over = hidden(html, "over")
    assert "Reject anyway?" in text(move(reviewer, run, "reject", reason="no", over="person:0"))
    assert move(reviewer, run, "approve", reason="it is fine", over=over).status_code == 302
    assert status(run) == "RUNNING"


def test_the_claimant_decides_without_a_question(reviewer: Client) -> None:
    run = paused()
    reviewer.post(url(run, "claim/"), {"do": "claim"})
    assert move(reviewer, run, "approve").status_code == 302


def test_a_review_that_another_edits_is_decided_after_a_question(reviewer: Client) -> None:
    run, other = paused(), signed_in(Role.DESIGNER)
    send(other, run, typed(opened(other, run), draft="Dear friend", count="4"), "keep")
    answer = move(reviewer, run, "approve", reason="it is fine")
    assert answer.status_code == 409
    html = text(answer)
    assert "Edits that are not applied: designer-default (count, draft)." in html
    assert "Approve anyway" in html
    assert "it is fine</textarea>" in html
    assert status(run) == "PAUSED"
    known = {"over-edits": hidden(html, "over-edits")}
    admin = signed_in(Role.ADMIN)
    send(admin, run, typed(opened(admin, run), draft="Dear Anna"), "keep")
    assert "admin-default (draft)" in text(move(reviewer, run, "approve", **known))
    known = {"over-edits": hidden(text(move(reviewer, run, "approve")), "over-edits")}
    assert move(reviewer, run, "approve", **known).status_code == 302
    assert status(run) == "RUNNING"


def test_edits_of_an_earlier_pause_ask_nothing(reviewer: Client) -> None:
    run, other = paused(), signed_in(Role.DESIGNER)
    send(other, run, typed(opened(other, run), draft="Dear friend"), "keep")
    PendingEdit.objects.update(changed_at=clock.now() - timedelta(days=1))
    assert move(reviewer, run, "approve").status_code == 302


def test_several_reviews_are_approved_without_those_that_others_edit(reviewer: Client) -> None:
    run, other = paused(), signed_in(Role.DESIGNER)
    look = re.search(r'data-look="([^"]*)"', text(reviewer.get(url(run))))
    assert look is not None
    send(other, run, typed(opened(other, run), draft="Dear friend"), "keep")
    answer = reviewer.post("/reviews/approve/", {"look": look[1]}, follow=True)
    assert "Edits that are not applied: designer-default (draft). Open it" in text(answer)
    assert status(run) == "PAUSED"


def test_several_reviews_are_approved_without_those_of_others(reviewer: Client) -> None:
    run = paused()
    look = re.search(r'data-look="([^"]*)"', text(reviewer.get(url(run))))
    assert look is not None
    signed_in(Role.DESIGNER).post(url(run, "claim/"), {"do": "claim"})
    answer = reviewer.post("/reviews/approve/", {"look": look[1]}, follow=True)
    assert "designer-default has claimed this. Open it to approve it anyway." in text(answer)
    assert status(run) == "PAUSED"


def test_refusals_of_several_reviews_are_sentences(reviewer: Client) -> None:
    other = signed_in(Role.DESIGNER)
    looks = []
    for run in (paused(), paused("letter-2")):
        look = re.search(r'data-look="([^"]*)"', text(reviewer.get(url(run))))
        assert look is not None
        looks.append(look[1])
        other.post(url(run, "claim/"), {"do": "claim"})
    answer = text(reviewer.post("/reviews/approve/", {"look": looks}, follow=True))
    assert "2 reviews were not approved:" in answer
    assert answer.count("Open it to approve it anyway. <a") == 1
    assert "anyway.;" not in answer
