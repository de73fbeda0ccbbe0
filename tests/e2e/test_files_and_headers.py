"""Static files, forms with files, headers and cookies through the whole server."""

import re
from pathlib import Path

import httpx

from tests.live_server import PASSWORD, LiveServer


def test_static_files_and_cookies_come_through(server: LiveServer) -> None:
    with httpx.Client(base_url=server.url, timeout=60) as client:
        page = client.get("/sign-in/")
        assert page.status_code == 200
        assert "csrftoken" in page.cookies
        style = client.get("/static/css/app.css")
        assert style.status_code == 200
        path = Path(__file__).parents[2] / "static" / "css" / "app.css"
        assert style.content == path.read_bytes()
        assert client.head("/static/css/app.css").content == b""


def test_a_browser_keeps_static_files_until_they_change(server: LiveServer) -> None:
    with httpx.Client(base_url=server.url, timeout=60) as client:
        addresses = re.findall(r'"(/static/[^"]+\.css\?v=[^"]+)"', client.get("/sign-in/").text)
        assert addresses
        for address in addresses:
            answer = client.get(address)
            assert answer.headers["Content-Encoding"] == "gzip"
            assert "Accept-Encoding" in answer.headers["Vary"]
            assert "immutable" in answer.headers["Cache-Control"]
            assert int(answer.headers["Content-Length"]) < len(answer.content) / 2
            plain = client.get(address, headers={"Accept-Encoding": "identity"})
            assert plain.content == answer.content
            assert "Content-Encoding" not in plain.headers
        other = client.get("/static/css/app.css?v=another")
        assert "immutable" not in other.headers["Cache-Control"]
        again = (
            {"If-None-Match": other.headers["ETag"]}
            if "ETag" in other.headers
            else {"If-Modified-Since": other.headers["Last-Modified"]}
        )
        assert client.get("/static/css/app.css", headers=again).status_code == 304


def test_a_path_that_is_no_text_is_refused(server: LiveServer) -> None:
    with httpx.Client(base_url=server.url, timeout=60) as client:
        assert client.get("/conversations/%ff%fe/").status_code in (400, 404, 302)


def test_a_form_with_a_file_is_read(server: LiveServer) -> None:
    document = b'{"messages": [{"role": "user", "content": "hi"}]}'
    with httpx.Client(base_url=server.url, follow_redirects=True, timeout=60) as client:
        client.get("/sign-in/")
        fields = {
            "username": "admin",
            "password": PASSWORD,
            "csrfmiddlewaretoken": client.cookies["csrftoken"],
        }
        client.post("/sign-in/", data=fields)
        answer = client.post(
            "/conversations/import/",
            data={"csrfmiddlewaretoken": client.cookies["csrftoken"]},
            files={"file": ("one.json", document, "application/json")},
        )
    assert answer.status_code == 200
    assert "hi" in answer.text


def test_calls_with_a_token_get_an_id_and_safe_headers_and_no_cookies(
    server: LiveServer, token: str
) -> None:
    headers = {"Authorization": f"Bearer {token}", "X-Request-ID": "mine"}
    with httpx.Client(base_url=server.url, headers=headers, timeout=60) as client:
        for path, code in (("/conversations", 200), ("/nothing", 404)):
            answer = client.get("/api/v1" + path)
            assert answer.status_code == code
            assert answer.headers["X-Request-ID"] == "mine"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert not answer.cookies
            assert int(answer.headers["Content-Length"]) == answer.num_bytes_downloaded
