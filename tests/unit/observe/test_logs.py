"""What a log line tells, and what it leaves out: every value that a caller may have sent."""

import json
import logging
import sqlite3
import threading
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError

from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import VersionConflict
from ctxadmin.telemetry import logs
from ctxadmin.telemetry.facts import Facts, current
from ctxadmin.telemetry.logs import JsonFormatter, LineFormatter, log_ends_of_threads, log_request
from tests.servers import ROOT

CONTENT = "what-somebody-wrote"


class Lines(logging.Handler):
    """Keeps each record in both forms."""

    def __init__(self) -> None:
        super().__init__()
        self.json: list[dict[str, Any]] = []
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        line = JsonFormatter().format(record)
        assert "\n" not in line
        self.json.append(json.loads(line))
        self.texts += [line, LineFormatter().format(record)]


@pytest.fixture
def lines() -> Iterator[Lines]:
    handler = Lines()
    root = logging.getLogger()
    root.addHandler(handler)
    access = logging.getLogger("ctxadmin.access")
    before = access.level
    access.setLevel(logging.INFO)
    yield handler
    access.setLevel(before)
    root.removeHandler(handler)


@pytest.fixture
def facts() -> Iterator[Facts]:
    made = Facts("request-1", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    made.actor = Actor("token", "tok_1", "engine of Anna", 7, frozenset())
    made.conversation, made.route, made.status = "conv_1", "/api/v1/things/{id}", 201
    entered = current.set(made)
    yield made
    current.reset(entered)


def fail(error: Exception, cause: Exception | None = None) -> Exception:
    """The error as it is when it was raised."""
    try:
        raise error from cause
    except Exception as raised:  # noqa: BLE001 - any
        return raised


def test_a_request_is_one_line_with_its_ids(lines: Lines, facts: Facts) -> None:
    log_request(facts, "POST", 0.0123456)
    told = lines.json[0]
    assert told.pop("time").endswith("Z")
    assert told == {
        "level": "INFO",
        "event": "request",
        "method": "POST",
        "route": "/api/v1/things/{id}",
        "status": 201,
        "ms": 12.346,
        "request_id": "request-1",
        "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
        "actor": "token:tok_1",
        "workspace": "7",
        "conversation": "conv_1",
    }


def test_a_refused_request_tells_the_code_of_its_error(lines: Lines, facts: Facts) -> None:
    facts.code = "version_conflict"
    log_request(facts, "PUT", 0.001)
    assert lines.json[0]["code"] == "version_conflict"


def test_what_a_stranger_gives_as_the_id_of_a_conversation_is_not_reported(
    lines: Lines, facts: Facts
) -> None:
    facts.actor = None
    log_request(facts, "GET", 0.001)
    assert "conversation" not in lines.json[0]


def test_an_event_within_a_request_has_its_ids_but_not_the_name_of_the_actor(
    lines: Lines, facts: Facts
) -> None:
    logging.getLogger("ctxadmin.http").warning("copies are off")
    assert lines.json[0]["event"] == "copies are off"
    assert lines.json[0]["actor"] == "token:tok_1"
    assert "Anna" not in "".join(lines.texts)


def test_of_an_exception_types_and_places_are_reported_and_no_texts(lines: Lines) -> None:
    error = fail(ValueError(CONTENT), fail(KeyError(CONTENT)))
    logging.getLogger("ctxadmin.http").error("unexpected %s", "ValueError", exc_info=error)
    types = [each["type"] for each in lines.json[0]["errors"]]
    assert types == ["builtins.ValueError", "builtins.KeyError"]
    assert lines.json[0]["errors"][0]["stack"][0].endswith(" fail")
    assert CONTENT not in "".join(lines.texts)


def test_of_a_database_error_the_number_is_reported(lines: Lines) -> None:
    error = fail(OperationalError(1406, f"Data too long: '{CONTENT}'"))
    logging.getLogger("ctxadmin.http").error("database refused", exc_info=error)
    assert lines.json[0]["errors"][0]["code"] == 1406
    assert CONTENT not in "".join(lines.texts)


def test_of_sqlite_the_name_of_the_error_is_reported(lines: Lines) -> None:
    with pytest.raises(sqlite3.OperationalError) as caught:
        sqlite3.connect(":memory:").execute(f"SELECT * FROM '{CONTENT}'")
    logging.getLogger("ctxadmin.http").error("database refused", exc_info=caught.value)
    assert lines.json[0]["errors"][0]["code"] == "SQLITE_ERROR"
    assert CONTENT not in "".join(lines.texts)


def test_of_our_own_errors_the_code_is_reported(lines: Lines) -> None:
    error = fail(VersionConflict(CONTENT, expected=1, actual=2, changed_keys=[CONTENT]))
    logging.getLogger("ctxadmin.http").error("a step failed", exc_info=error)
    assert lines.json[0]["errors"][0]["code"] == "version_conflict"
    assert CONTENT not in "".join(lines.texts)


def test_an_exception_among_the_values_of_an_event_is_reported_by_its_type(lines: Lines) -> None:
    logging.getLogger("ctxadmin.checkpoints").warning("reviews wait: %s", ValueError(CONTENT))
    assert lines.json[0]["event"] == "reviews wait: ValueError"
    assert CONTENT not in "".join(lines.texts)


def test_of_other_packages_the_template_is_reported_without_values(lines: Lines) -> None:
    logging.getLogger("django.request").error("Not Found: %s", CONTENT)
    told = lines.json[0]
    assert (told["event"], told["logger"]) == ("Not Found: %s", "django.request")
    assert CONTENT not in "".join(lines.texts)


def test_of_other_packages_words_that_are_no_template_are_reported_by_their_place(
    lines: Lines,
) -> None:
    logging.getLogger("django.security").error(f"Invalid host {CONTENT}")
    logging.getLogger("axes").error("%s: %s", CONTENT, CONTENT)
    place = (
        "test_logs.test_of_other_packages_words_that_are_no_template_are_reported_by_their_place"
    )
    assert [told["event"] for told in lines.json] == [place, place]
    assert CONTENT not in "".join(lines.texts)


@pytest.mark.parametrize("name", ["checkpoints.live_copy.reader", "conversations", "ctxadmin.http"])
def test_an_event_of_any_package_of_ours_has_its_values(lines: Lines, name: str) -> None:
    logging.getLogger(name).warning("The copy of {%d} is damaged", 5)
    assert lines.json[0]["event"] == "The copy of {5} is damaged"
    assert "logger" not in lines.json[0]


def test_a_name_that_only_begins_like_ours_is_not_ours(lines: Lines) -> None:
    logging.getLogger("workflows_of_others").warning("Not Found: %s", CONTENT)
    assert lines.json[0]["event"] == "Not Found: %s"


def test_every_package_of_this_project_is_ours() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        packages = tomllib.load(file)["tool"]["importlinter"]["root_packages"]
    assert set(packages) == logs._OURS


def test_values_that_do_not_fit_their_event_leave_the_event() -> None:
    record = logging.LogRecord("ctxadmin.http", 30, __file__, 1, "one %d", (CONTENT,), None)
    assert json.loads(JsonFormatter().format(record))["event"] == "one %d"


def test_a_line_for_the_eye_names_level_event_and_ids_and_then_the_stack(
    lines: Lines, facts: Facts
) -> None:
    error = fail(ValueError(CONTENT))
    logging.getLogger("ctxadmin.http").error("it broke", exc_info=error)
    first, *stack = lines.texts[1].splitlines()
    assert first.split(" ", 1)[1].startswith("ERROR it broke request_id=request-1")
    assert stack[-1] == "  builtins.ValueError"


def test_a_thread_that_dies_is_an_event(lines: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    log_ends_of_threads()

    def die() -> None:
        raise ValueError(CONTENT)

    thread = threading.Thread(target=die)
    thread.start()
    thread.join()
    assert lines.json[0]["event"] == "a thread ended: ValueError"
    assert CONTENT not in "".join(lines.texts)
