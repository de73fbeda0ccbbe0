"""The overview: what waits for a person comes first, and an empty one says how to begin."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from checkpoints.models import Execution
from checkpoints.statistics.execution_plots import started_by_day, waiting_counts
from conversations.models import Conversation
from ctxadmin.accounts.models import Workspace
from ctxadmin.accounts.services import create_token, system_actor
from ctxadmin.identity.roles import Role, Scope
from ctxadmin.lib import clock
from tests.factories import Api, conversation, signed_in, user, workspace
from tests.integration.checkpoints.flows import Run, node, ok, publish
from tests.integration.pages.execution_scenes import failed, paused, running, text, url

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_who_signs_in_comes_to_the_overview(reviewer: Client) -> None:
    assert Client().get("/")["Location"] == "/sign-in/?next=/"
    assert 'href="/" aria-current="page"' in text(reviewer.get("/"))


def test_an_empty_server_says_how_to_begin() -> None:
    html = text(signed_in(Role.ADMIN).get("/"))
    for command in ("create_token", "demo_engine", "import_conversations"):
        assert f"manage.py {command}" in html


def test_commands_name_the_folder_of_the_data(settings: Any) -> None:
    settings.EMBEDDED, settings.DATA_DIR_IS_CHOSEN = True, True
    settings.DATA_DIR = Path("/srv/my data")
    named = "CTXADMIN_DATA_DIR=&#x27;/srv/my data&#x27; .venv/bin/python manage.py"
    assert text(signed_in(Role.ADMIN).get("/")).count(named) == 3
    assert "/srv/my data" not in text(signed_in(Role.DESIGNER).get("/"))


@pytest.mark.parametrize(
    ("role", "others"), [(Role.VIEWER, 4), (Role.REVIEWER, 4), (Role.DESIGNER, 3), (Role.ADMIN, 0)]
)
def test_first_steps_are_those_of_the_role_and_others_say_who_can(role: Role, others: int) -> None:
    steps = text(signed_in(role).get("/")).split('class="card-body first-steps"')[1]
    steps = steps.split("</ol>")[0]
    assert steps.count("admin can ") == others
    assert ("manage.py" in steps) == (role is Role.ADMIN)


def test_only_who_may_is_led_to_workflows_imports_and_tokens() -> None:
    viewer, admin = text(signed_in(Role.VIEWER).get("/")), text(signed_in(Role.ADMIN).get("/"))
    for path in ("/workflows/+new/", "/conversations/import/", "/settings/"):
        assert path in admin
        assert path not in viewer


def test_the_figures_of_storage_lead_to_their_lists(reviewer: Client) -> None:
    running()
    html = text(reviewer.get("/"))
    for name, path in (
        ("Size of all messages", "/conversations/?sort=size"),
        ("States of all versions", "/conversations/?sort=size"),
        ("Latest states", "/executions/"),
    ):
        assert re.search(f'<a href="{re.escape(path)}" aria-label="[^"]* · {name}">', html)


def test_what_waits_comes_first_and_the_longest_waiting_before_the_others(
    reviewer: Client,
) -> None:
    first, second, runs = paused("one"), paused("two"), running()
    html = text(reviewer.get("/"))
    places = [
        html.index(f'class="waiting-title" href="{url(run)}?queue=waiting"')
        for run in (first, second)
    ]
    assert places == sorted(places)
    assert places[1] < html.index(f'href="{url(runs)}"')
    assert "look at this" in html
    assert "Review" in html


def test_viewers_are_not_asked_to_review() -> None:
    paused()
    html = text(signed_in(Role.VIEWER).get("/"))
    assert "Needs review" in html
    assert "> Review" not in html


def test_the_number_of_conversations_is_that_of_the_list_behind_it(reviewer: Client) -> None:
    conversation(user("open"), public_id="open")
    conversation(user("done"), public_id="done")
    Conversation.objects.filter(public_id="done").update(archived=True)
    assert 'aria-label="1 conversation">1</a>' in text(reviewer.get("/"))
    assert text(reviewer.get("/conversations/")).count("last-said") == 1


def test_what_runs_and_what_failed_is_listed_with_the_reason(reviewer: Client) -> None:
    runs, fails = running(), failed()
    html = text(reviewer.get("/"))
    assert url(runs) in html
    assert url(fails) in html
    assert "the tool broke" in html
    assert "Nothing needs your review" in html


def test_numbers_count_the_current_executions(reviewer: Client) -> None:
    run = failed()
    run.post("executions", {})
    html = text(reviewer.get("/"))
    assert 'aria-label="1 Running"' in html
    assert 'aria-label="0 Failed"' in html
    assert "the tool broke" not in html


def test_of_many_that_failed_only_some_are_listed(reviewer: Client) -> None:
    for _ in range(8):
        failed()
    html = text(reviewer.get("/"))
    assert html.count("the tool broke") == 6
    assert 'aria-label="8 Failed"' in html


def test_conversations_of_one_title_have_their_ids_on_the_overview(reviewer: Client) -> None:
    first, second, alone = paused("one"), paused("two"), paused("three")
    for run, title in ((first, "Parcel"), (second, "Parcel"), (alone, "Refund")):
        ok(run.api.patch(run.path, {"title": title}))
    html = text(reviewer.get("/"))
    shown = [html.count(f'"no">{run.head.public_id}</span>') for run in (first, second, alone)]
    assert shown == [2, 2, 0]  # where it waits, and as the latest change


def test_another_workspace_sees_nothing_of_it() -> None:
    paused()
    conversation(user("secret"), title="A secret title")
    html = text(signed_in(Role.ADMIN, "elsewhere").get("/"))
    assert "A secret title" not in html
    assert "Get started" in html
    assert ".venv/bin/python manage.py demo_engine --url http://testserver" in html


def test_the_steps_to_get_started_stay_until_all_are_done(reviewer: Client) -> None:
    running()
    publish("mine", [node("a")], [])
    for command in ("demo_engine", "create_token"):
        assert "Get started" in text(reviewer.get("/"))
        create_token(system_actor(workspace(), command), "mine", [Scope.ENGINE])
    assert "Get started" in text(reviewer.get("/"))
    ok(Api().post("/conversations/import", {"messages": [user("hello")]}))
    assert "Get started" not in text(reviewer.get("/"))


def test_a_step_to_get_started_that_was_taken_says_so(reviewer: Client) -> None:
    def done() -> list[bool]:
        steps = text(reviewer.get("/")).split('class="card-body first-steps"')[1]
        return ["Done" in step for step in steps.split("</ol>")[0].split("<h3>")[1:]]

    running()  # with a token of the system, which is not of the demo engine
    assert done() == [False, False, False, False]
    publish("mine", [node("a")], [])
    assert done() == [True, False, False, False]
    create_token(system_actor(workspace(), "demo_engine"), "demo engine", [Scope.ENGINE])
    assert done() == [True, True, False, False]


def test_who_closes_the_steps_to_get_started_does_not_see_them_again(reviewer: Client) -> None:
    close = "/overview/first-steps/close/"
    assert close not in text(reviewer.get("/"))  # of an empty workspace they are all there is
    running()
    assert f'action="{close}"' in text(reviewer.get("/"))
    assert reviewer.post(close)["Location"] == "/"
    assert "Get started" not in text(reviewer.get("/"))


def test_a_workspace_in_use_for_a_month_is_not_told_to_get_started(reviewer: Client) -> None:
    running()
    workspaces = Workspace.objects.filter(pk=workspace().pk)
    workspaces.update(created_at=clock.now() - timedelta(days=29))
    assert "Get started" in text(reviewer.get("/"))
    workspaces.update(created_at=clock.now() - timedelta(days=31))
    assert "Get started" not in text(reviewer.get("/"))


def test_the_overview_and_the_list_begin_with_the_answer_that_waits_for_review(
    reviewer: Client,
) -> None:
    publish("waits", [node("a", config={"pause": "before"})], [])
    run = Run.start("waits")
    ok(run.append(user("When?"), {"role": "assistant", "content": "It **left** on Friday."}))
    for path in ("/", "/executions/"):
        page = text(reviewer.get(path))
        assert 'class="waiting-proposed" dir="auto">It left on Friday.' in page
        ok(run.append(user("And now?")))
        assert "It left on Friday." not in text(reviewer.get(path))
        ok(run.append({"role": "assistant", "content": "It left on Friday."}))


def test_the_overview_costs_sixteen_queries_and_one_for_names_that_it_meets_first(
    reviewer: Client, django_assert_max_num_queries: Any
) -> None:
    for number in range(3):
        paused(f"flow-{number}")
        failed()
        running()
    for most in (17, 16):
        with django_assert_max_num_queries(most):
            assert reviewer.get("/").status_code == 200


def test_executions_are_counted_on_the_day_they_began_by_the_status_they_have_now() -> None:
    now = clock.now()
    running(), paused()
    began = Execution.objects.filter(conversation=failed().head.pk)
    began.update(created_at=now - timedelta(days=1))
    days = started_by_day(workspace().pk, now, 30)
    assert [day.day for day in days[-2:]] == [
        str((now - timedelta(days=1)).date()),
        str(now.date()),
    ]
    assert [day.by_status for day in days[-2:]] == [{"FAILED": 1}, {"RUNNING": 1, "PAUSED": 1}]
    assert (len(days), sum(day.count for day in days)) == (30, 3)


def test_paused_executions_are_counted_once_by_the_time_they_waited(reviewer: Client) -> None:
    now = clock.now()
    for number, hours in enumerate((0.5, 2, 3, 24 * 30)):
        rows = Execution.objects.filter(conversation=paused(f"flow-{number}").head.pk)
        rows.update(waiting_since=now - timedelta(hours=hours))
    counts = waiting_counts(workspace().pk, now)
    assert counts == {"10m": 0, "1h": 1, "1d": 2, "7d": 0, "longer": 1}
    part = text(reviewer.get("/overview/executions/"))
    assert '<a href="/reviews/?waited=1d">1 hour to 1 day</a>' in part
    assert "?waited=10m" not in part
    for waited, count in counts.items():
        queue = text(reviewer.get(f"/reviews/?waited={waited}"))
        assert queue.count('class="waiting"') == count
        assert queue.count(f"waited={waited}") >= count  # what is opened from here stays in it
    assert reviewer.get("/reviews/?waited=2h").status_code == 422
    of_status = 'href="/executions/?status=PAUSED&amp;archived=also"'
    assert part.count(of_status) == 2  # of the legend and the table


def test_the_overview_loads_the_plots_of_executions_later_with_two_queries(
    reviewer: Client,
) -> None:
    paused()
    assert 'hx-get="/overview/executions/"' in text(reviewer.get("/"))
    with CaptureQueriesContext(connection) as queries:
        part = text(reviewer.get("/overview/executions/"))
    assert "<html" not in part
    assert '<a href="/executions/?status=PAUSED&amp;archived=also">Paused</a>' in part
    of_day = f"/executions/?started={clock.now().date()}"
    of_status = f'href="{of_day}&amp;status=PAUSED&amp;archived=also"'
    assert part.count(of_status) == 2  # its bar, and its number
    assert f'<a href="{of_day}&amp;archived=also">1</a>' in part
    assert sum("checkpoints_execution" in each["sql"] for each in queries.captured_queries) == 2


def test_without_scripts_the_overview_links_its_plots_and_shows_them(reviewer: Client) -> None:
    paused()
    html = text(reviewer.get("/"))
    assert '<noscript><a href="?plots=1#overview-executions">Show the plots</a></noscript>' in html
    assert '<noscript><a href="/usage/">Show the plots</a></noscript>' in html
    assert "Executions started per day" not in html
    assert "Executions started per day" in text(reviewer.get("/?plots=1"))


def test_executions_of_other_workspaces_are_not_counted() -> None:
    paused()
    part = text(signed_in(Role.ADMIN, "elsewhere").get("/overview/executions/"))
    assert "none is paused" in part
