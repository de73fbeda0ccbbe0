"""The names of a browser and its system, as user agents give them away."""

import pytest

from ctxadmin.accounts.browsers import browser_of

WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"
MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15"


@pytest.mark.parametrize(
    ("user_agent", "names"),
    [
        (
            "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            ("Firefox", "Linux"),
        ),
        (f"{MAC} {WEBKIT} Chrome/140.0.0.0 Safari/537.36", ("Chrome", "macOS")),
        (f"{MAC} {WEBKIT} Version/18.5 Safari/605.1.15", ("Safari", "macOS")),
        (
            f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {WEBKIT} Chrome/140.0.0.0 Safari/537.36 "
            "Edg/140.0.0.0",
            ("Edge", "Windows"),
        ),
        (f"{MAC} {WEBKIT} Chrome/140.0.0.0 Safari/537.36 OPR/120.0.0.0", ("Opera", "macOS")),
        (
            f"Mozilla/5.0 (Linux; Android 10; K) {WEBKIT} Chrome/140.0.0.0 Mobile Safari/537.36",
            ("Chrome", "Android"),
        ),
        (
            f"Mozilla/5.0 (Linux; Android 10; K) {WEBKIT} SamsungBrowser/28.0 Chrome/130.0.0.0 "
            "Mobile Safari/537.36",
            ("Samsung Internet", "Android"),
        ),
        (f"{IPHONE} CriOS/140.0 Mobile/15E148 Safari/604.1", ("Chrome", "iOS")),
        (f"{IPHONE} FxiOS/140.0 Mobile/15E148 Safari/605.1.15", ("Firefox", "iOS")),
        (
            f"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) {WEBKIT} Chrome/140.0.0.0 Safari/537.36",
            ("Chrome", "ChromeOS"),
        ),
        (
            f"Mozilla/5.0 (X11; Linux x86_64) {WEBKIT} HeadlessChrome/140.0.0.0 Safari/537.36",
            ("Chrome", "Linux"),
        ),
        ("curl/8.14.1", ("curl", "")),
        ("Wget/1.25.0", ("Wget", "")),
        ("HTTPie/3.2.4", ("HTTPie", "")),
        ("PostmanRuntime/7.43.0", ("Postman", "")),
        ("python-httpx/0.28.1", ("Python", "")),
        ("Python-urllib/3.11", ("Python", "")),
        ("something else", ("", "")),
        ("", ("", "")),
        ("\x00<script>\udce9" * 1000, ("", "")),
    ],
)
def test_a_browser_is_named_by_its_user_agent(user_agent: str, names: tuple[str, str]) -> None:
    assert browser_of(user_agent) == names
