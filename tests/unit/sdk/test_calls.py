"""What the client does with answers and lost connections, without a server."""

import subprocess
import sys

import httpx
import pytest
from ctxadmin_client import (
    Busy,
    Client,
    Invalid,
    NoAnswer,
    NotFound,
    Refused,
    Retries,
    VersionConflict,
)
from ctxadmin_client.calls import Call, path, requested_pause
from ctxadmin_client.errors import refusal
from ctxadmin_client.streams import Reader, Sent

from scripts.catalogues import ROOT

EVENTS = {"content-type": "text/event-stream"}


class Server:
    """Gives its prepared answers one after the other, and records the requests."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def client(self, retries: Retries | None = None) -> Client:
        http = httpx.Client(transport=httpx.MockTransport(self))
        return Client("http://server/", "secret", retries=retries, http=http)


@pytest.fixture(autouse=True)
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that the client made, which take no time here."""
    pauses: list[float] = []
    monkeypatch.setattr("ctxadmin_client._sync.transport.time.sleep", pauses.append)
    return pauses


SNAPSHOT: dict[str, object] = {"state_data": {}, "ready_nodes": [], "pause_requested": False}


def problem(status: int, code: str, **rest: object) -> httpx.Response:
    return httpx.Response(status, json={"status": status, "code": code, "detail": "No.", **rest})


def test_a_write_is_repeated_with_the_same_key_until_it_is_answered(slept: list[float]) -> None:
    server = Server(
        httpx.ConnectError("refused"),
        httpx.ReadError("reset"),
        problem(503, "unavailable"),
        httpx.Response(201, json={"id": "c"}),
    )
    assert server.client().create("c").id == "c"
    keys = {request.headers["Idempotency-Key"] for request in server.requests}
    assert len(server.requests) == 4
    assert len(keys) == 1
    assert len(slept) == 3


def test_two_writes_have_two_keys() -> None:
    server = Server(*[httpx.Response(201, json={"id": "c"}) for _ in range(2)])
    client = server.client()
    client.create()
    client.create()
    assert len({request.headers["Idempotency-Key"] for request in server.requests}) == 2


def test_the_pause_is_at_least_what_the_server_asks_for(slept: list[float]) -> None:
    busy = problem(429, "rate_limited")
    busy.headers["Retry-After"] = "7"
    server = Server(busy, httpx.Response(200, json={}))
    server.client().conversation("c").read()
    assert slept == [7.0]


def test_after_its_seconds_the_client_gives_up_with_the_last_failure() -> None:
    server = Server(problem(503, "unavailable"))
    with pytest.raises(Busy, match="unavailable: No"):
        server.client(Retries(seconds=0)).conversation("c").read()
    server = Server(httpx.ReadTimeout("slow"))
    with pytest.raises(NoAnswer, match="GET /api/v1/conversations/c: slow"):
        server.client(Retries(seconds=0)).conversation("c").read()


def test_an_answer_that_is_cut_is_asked_for_again() -> None:
    server = Server(httpx.Response(200, content=b'{"id": '), httpx.Response(200, json={"id": "c"}))
    assert server.client().conversation("c").read() == {"id": "c"}


@pytest.mark.parametrize("status", [400, 404, 409, 413, 422])
def test_a_refusal_is_not_repeated(status: int) -> None:
    server = Server(problem(status, "something_new"))
    with pytest.raises(Refused, match="something_new") as caught:
        server.client().conversation("c").read()
    assert (caught.value.status, len(server.requests)) == (status, 1)


def test_a_deletion_that_is_repeated_has_deleted() -> None:
    server = Server(httpx.ReadError("reset"), problem(404, "not_found"))
    server.client().conversation("c").delete()
    with pytest.raises(NotFound):
        Server(problem(404, "not_found")).client().conversation("c").delete()


def test_refusals_have_what_their_code_says_with_them() -> None:
    fields = [{"pointer": "/messages/0/role", "message": "unknown role", "code": "validation"}]
    invalid = refusal(422, {"code": "validation", "detail": "No.", "errors": fields})
    assert isinstance(invalid, Invalid)
    assert [fault.pointer for fault in invalid.faults] == ["/messages/0/role"]
    conflict = refusal(409, {"code": "version_conflict", "actual": 7, "changed_keys": ["a"]})
    assert isinstance(conflict, VersionConflict)
    assert (conflict.actual, conflict.changed_keys) == (7, ["a"])


def test_an_answer_of_someone_between_is_reported_by_its_status() -> None:
    """A proxy answers in HTML."""
    server = Server(httpx.Response(502, content=b"<h1>Bad gateway</h1>"))
    with pytest.raises(Busy, match="Bad gateway"):
        server.client(Retries(seconds=0)).conversation("c").read()


def test_all_pages_of_a_list_are_read() -> None:
    server = Server(
        httpx.Response(200, json={"results": [{"id": "a"}], "next": "x/+"}),
        httpx.Response(200, json={"results": [{"id": "b"}], "next": None}),
    )
    assert [each["id"] for each in server.client().conversations(status="PAUSED")] == ["a", "b"]
    assert [dict(request.url.params) for request in server.requests] == [
        {"status": "PAUSED"},
        {"status": "PAUSED", "cursor": "x/+"},
    ]


def test_the_executions_of_a_conversation_are_listed_over_all_pages() -> None:
    server = Server(
        httpx.Response(200, json={"results": [{"execution": "exec_b"}], "next": "1"}),
        httpx.Response(200, json={"results": [{"execution": "exec_a"}], "next": None}),
    )
    found = list(server.client().conversation("c").executions())
    assert [each["execution"] for each in found] == ["exec_b", "exec_a"]
    assert [str(each.url) for each in server.requests] == [
        "http://server/api/v1/conversations/c/executions",
        "http://server/api/v1/conversations/c/executions?cursor=1",
    ]


def test_a_wait_can_name_the_execution_that_is_meant() -> None:
    waited = {"status": "CANCELLED", "version": 4, "revision": 0, "changed": True}
    server = Server(httpx.Response(200, json=waited))
    found = server.client().conversation("c").wait(after_version=3, execution="exec_a", seconds=9)
    assert (found.status, found.version, found.changed) == ("CANCELLED", 4, True)
    (request,) = server.requests
    assert dict(request.url.params) == {
        "execution": "exec_a",
        "after_version": "3",
        "timeout": "9",
    }


def test_a_worker_does_not_wait_for_the_versions_of_another_execution() -> None:
    """The execution was ended and another begun while it looked: it must not wait for that."""
    paused: dict[str, object] = {
        "status": "PAUSED",
        "execution": "exec_a",
        "version": 3,
        "workflow": "w",
    }
    other = {**paused, "execution": "exec_b", "version": 0}
    waited = {"status": "CANCELLED", "version": 4, "revision": 0, "changed": True}
    answers: list[dict[str, object]] = [{"id": "c"}, paused, paused, waited, other]
    server = Server(*(httpx.Response(200, json={**SNAPSHOT, **each}) for each in answers))
    with server.client().execution("c", workflow="w") as run:
        assert list(run.ready()) == []
    wait = next(each for each in server.requests if each.url.path.endswith("/wait"))
    assert wait.url.params["execution"] == "exec_a"


def test_a_stream_continues_behind_the_last_event_when_it_breaks() -> None:
    first = b'id: 5\nevent: changed\ndata: {"cursor": "5"}\n\nid: 6\nevent: chan'
    second = b'id: 6\nevent: changed\ndata: {"cursor": "6",\ndata:  "what": "x"}\n\n'
    server = Server(
        httpx.Response(200, content=first, headers=EVENTS),
        httpx.ConnectError("refused"),
        httpx.Response(200, content=second, headers=EVENTS),
    )
    stream = server.client().conversation("c").events("4")
    assert [next(stream) for _ in range(2)] == [
        Sent("changed", {"cursor": "5"}, "5"),
        Sent("changed", {"cursor": "6", "what": "x"}, "6"),
    ]
    assert [request.headers["Last-Event-ID"] for request in server.requests] == ["4", "5", "5"]


def test_a_redirection_is_no_answer() -> None:
    moved = httpx.Response(302, headers={"location": "/sign-in/"}, content=b"")
    with pytest.raises(Refused) as caught:
        Server(moved).client().create()
    assert caught.value.status == 302


def test_the_feed_tells_where_it_begins_and_what_it_lost() -> None:
    begun = b'event: state\ndata: {"cursor": "7"}\n\nevent: reset\ndata: {"cursor": "9"}\n\n'
    feed = Server(httpx.Response(200, content=begun, headers=EVENTS)).client().events()
    told = [next(feed) for _ in range(2)]
    assert [(each.what, each.cursor) for each in told] == [("state", "7"), ("reset", "9")]


def test_comments_in_a_stream_are_no_events() -> None:
    reader = Reader()
    assert [reader.feed(line) for line in (": beat", "", "id: 3", "")] == [None] * 4
    assert reader.last_id == "3"


def test_names_that_an_address_cannot_hold_are_written_so_that_it_can() -> None:
    assert path("nodes", "a/b ü?") == "/nodes/a%2Fb%20%C3%BC%3F"


def test_numbers_that_json_does_not_have_are_refused_before_they_are_sent() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        Call("POST", "/x", body={"n": float("nan")}).content()


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("", None), ("3", 3.0), ("soon", None), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0)],
)
def test_the_wished_pause_is_a_number_or_a_date(header: str, seconds: float | None) -> None:
    assert requested_pause({"retry-after": header} if header else {}) == seconds


def test_a_wished_date_is_as_far_away_as_the_server_s_clock_says() -> None:
    headers = {"date": "Wed, 21 Oct 2015 07:28:00 GMT"}
    headers["retry-after"] = "Wed, 21 Oct 2015 07:28:07 GMT"
    assert requested_pause(headers) == 7.0


def test_the_client_for_threads_is_written_from_the_one_for_asyncio() -> None:
    command = [sys.executable, str(ROOT / "sdk/python/make_sync.py"), "--check"]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.stdout == ""
    assert finished.returncode == 0


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "localhost:8000", "", "ftp://server"])
def test_an_address_that_cannot_be_one_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError, match=r"^url: write http:// or https://"):
        Client(url, "secret")


@pytest.mark.parametrize(
    ("token", "told"),
    [
        ("", "token: it is empty"),
        (" \n", "token: it is empty"),
        ("ctx_a\nctx_b", "token: it has characters that no token has"),
        ("ctx_ä", "token: it has characters that no token has"),
    ],
)
def test_a_token_that_cannot_be_one_is_refused_at_once(token: str, told: str) -> None:
    with pytest.raises(ValueError, match=r"^token: ") as caught:
        Client("http://server", token)
    assert str(caught.value) == told


def test_a_token_of_a_file_may_end_with_its_line() -> None:
    server = Server(httpx.Response(200, json={}))
    http = httpx.Client(transport=httpx.MockTransport(server))
    Client("http://server", "secret\n", http=http).conversation("c").read()
    assert server.requests[0].headers["Authorization"] == "Bearer secret"


def test_an_answer_that_is_garbled_is_asked_for_again() -> None:
    server = Server(httpx.DecodingError("not gzip"), httpx.Response(200, json={"id": "c"}))
    assert server.client().conversation("c").read() == {"id": "c"}


def test_a_redirect_tells_the_address_to_use() -> None:
    server = Server(httpx.Response(301, headers={"Location": "https://server/"}))
    with pytest.raises(Refused, match="redirects to https://server/: use that address"):
        server.client().conversation("c").read()


def test_calls_that_are_repeated_for_long_say_so_once(caplog: pytest.LogCaptureFixture) -> None:
    server = Server(*[httpx.ConnectError("refused")] * 6, httpx.Response(200, json={}))
    server.client().conversation("c").read()
    [line] = [each.getMessage() for each in caplog.records if each.name == "ctxadmin_client"]
    assert line == (
        "GET /api/v1/conversations/c: refused. The call is repeated for at most 120 seconds."
    )


def test_half_a_character_is_refused_with_its_place() -> None:
    body = {"messages": [{"content": "whole"}, {"content": [{"text": "cut \ud83d"}]}]}
    with pytest.raises(ValueError, match=r"^/messages/1/content/0/text: half a character"):
        Call("POST", "/x", body=body).content()
