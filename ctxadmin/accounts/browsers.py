"""The names of a browser and its system, parsed from a user agent.

They only help people to recognize their browsers: whoever sends a user agent chooses it.
"""

from typing import Final

# Each names those after it, too, to be let in where they are.
_BROWSERS: Final = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("CriOS/", "Chrome"),
    ("Safari/", "Safari"),
    # What scripts send that sign in as a person does.
    ("curl/", "curl"),
    ("Wget/", "Wget"),
    ("HTTPie/", "HTTPie"),
    ("PostmanRuntime/", "Postman"),
    ("python-", "Python"),
    ("Python-", "Python"),
)
_SYSTEMS: Final = (
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def browser_of(user_agent: str) -> tuple[str, str]:
    """Returns ``("Firefox", "Linux")``; "" for what is unknown."""
    return _first(_BROWSERS, user_agent), _first(_SYSTEMS, user_agent)


def _first(signs: tuple[tuple[str, str], ...], text: str) -> str:
    return next((name for sign, name in signs if sign in text), "")
