"""The timeline of an execution: what a line says, and what it leaves out."""

import re

import pytest

from ctxadmin.identity.roles import Role
from tests.factories import signed_in
from tests.integration.pages.execution_scenes import page, running

pytestmark = pytest.mark.django_db


def test_a_line_names_the_status_only_where_it_changed() -> None:
    reviewer = signed_in(Role.REVIEWER)
    run = running()
    run.save("one", status="RUNNING")
    run.save("two", "b", status="RUNNING")
    run.save("three", "c", status="PAUSED")
    html = page(reviewer, run, "timeline/")
    lines = dict(re.findall(r'<li class="happened[^"]*" id="(v\d+)">(.*?)</li>', html, re.DOTALL))
    told = {name for name, line in lines.items() if "→" in line}
    assert set(lines) == {"v0", "v1", "v2", "v3"}
    assert told == {"v0", "v3"}
    assert "Paused" in lines["v3"]
