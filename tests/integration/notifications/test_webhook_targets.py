"""A webhook reaches no private address, follows no redirect, and waits briefly for answers."""

import socket
from ipaddress import ip_network
from threading import Event, Thread
from typing import Any

import pytest

from notifications.domain.addresses import read_address
from notifications.sending import http
from notifications.sending.outcome import DeliveryOutcome, Problem
from tests.integration.notifications.receiver import Receiver

LOOPBACK = [ip_network("127.0.0.0/8")]


@pytest.fixture
def endpoint() -> Any:
    with Receiver() as made:
        yield made


def names(monkeypatch: pytest.MonkeyPatch, *answers: str) -> list[str]:
    """Has each look-up of any name answered by the next address; the names that were asked."""
    asked: list[str] = []
    left = list(answers)

    def look_up(host: str, port: int, **_: Any) -> Any:
        asked.append(host)
        ip = left.pop(0)
        kind = socket.AF_INET6 if ":" in ip else socket.AF_INET
        return [(kind, socket.SOCK_STREAM, 6, "", (ip, port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return asked


def send(url: str, allowed: Any = ()) -> DeliveryOutcome:
    return http.post(read_address(url), b"{}", {"Content-Type": "application/json"}, allowed)


@pytest.mark.parametrize(
    "ip",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1",
        "fd00::1",
        "fec0::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    ],
)
def test_a_name_that_leads_to_a_private_address_is_not_connected_to(
    monkeypatch: pytest.MonkeyPatch, ip: str
) -> None:
    def connect(*_: Any) -> Any:
        raise AssertionError(f"connected to {ip}")

    monkeypatch.setattr(http.PinnedConnection, "connect", connect)
    names(monkeypatch, ip)
    assert send("http://example.org/").problem is Problem.PRIVATE


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f000001", "0177.0.0.1", "[::1]"])
def test_no_spelling_of_loopback_gets_through(endpoint: Receiver, host: str) -> None:
    problem = send(f"http://{host}:{endpoint.port}/").problem
    assert problem in (Problem.PRIVATE, Problem.NAME)
    assert endpoint.got == []


def test_the_address_that_was_looked_at_is_the_one_that_is_connected_to(
    endpoint: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = names(monkeypatch, "127.0.0.1", "10.0.0.1")
    assert send(f"http://rebind.example:{endpoint.port}/x", LOOPBACK).problem is None
    assert asked == ["rebind.example"]
    (got,) = endpoint.got
    assert got.headers["Host"] == f"rebind.example:{endpoint.port}"


def test_only_the_networks_that_are_allowed(endpoint: Receiver) -> None:
    url = f"http://127.0.0.1:{endpoint.port}/"
    assert send(url).problem is Problem.PRIVATE
    assert send(url, [ip_network("10.0.0.0/8")]).problem is Problem.PRIVATE
    assert send(url, LOOPBACK).problem is None


def test_a_redirect_is_not_followed(endpoint: Receiver) -> None:
    endpoint.status = 307
    endpoint.answer = {"Location": f"http://127.0.0.1:{endpoint.port}/elsewhere"}
    outcome = send(f"http://127.0.0.1:{endpoint.port}/", LOOPBACK)
    assert (outcome.problem, outcome.answered) == (Problem.REDIRECT, 307)
    assert [got.path for got in endpoint.got] == ["/"]


def test_of_a_long_answer_only_the_beginning_is_read(endpoint: Receiver) -> None:
    endpoint.status, endpoint.body = 200, b"x" * 50_000_000
    assert send(f"http://127.0.0.1:{endpoint.port}/", LOOPBACK).problem is None


def test_who_does_not_answer_is_not_waited_for(
    endpoint: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "ANSWER_SECONDS", 0.2)
    endpoint.hold()
    outcome = send(f"http://127.0.0.1:{endpoint.port}/", LOOPBACK)
    assert outcome.problem is Problem.TIMEOUT


def test_an_answer_that_comes_drop_by_drop_ends_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "ANSWER_SECONDS", 0.5)
    over = Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            connection, _ = server.accept()
            with connection:
                while not over.wait(0.05):
                    try:
                        connection.sendall(b"H")
                    except OSError:
                        return

        dripping = Thread(target=drip)
        dripping.start()
        outcome = send(f"http://127.0.0.1:{server.getsockname()[1]}/", LOOPBACK)
        over.set()
        dripping.join()
    assert outcome.problem is Problem.TIMEOUT


def test_nothing_is_sent_to_a_server_with_an_unknown_certificate(endpoint: Receiver) -> None:
    outcome = send(f"https://127.0.0.1:{endpoint.port}/", LOOPBACK)
    assert outcome.problem is Problem.TLS
    assert endpoint.got == []


def test_no_one_there_is_a_failed_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert send(f"http://127.0.0.1:{port}/", LOOPBACK).problem is Problem.CONNECTION


def test_a_name_that_no_one_knows_is_reported_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: Any, **__: Any) -> Any:
        raise socket.gaierror("no such name")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert send("http://nowhere.example/").problem is Problem.NAME
