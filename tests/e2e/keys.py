"""The list of keys of a page, and what can be seen of pressing them."""

from playwright.sync_api import Locator, Page, TimeoutError, expect

_NAMES = {
    "Del": "Delete",
    "Esc": "Escape",
    "↑": "ArrowUp",
    "Menu": "ContextMenu",
    "Ctrl": "Control",
}
# What can be seen of a key: where one is, what has the focus, what the page says and shows.
_SEEN = """() => [location.href, document.activeElement?.outerHTML.slice(0, 300), scrollY,
  document.querySelectorAll("dialog[open]").length, document.querySelector("main")?.innerHTML,
  document.querySelector(".toasts")?.innerHTML,
  document.querySelector(".react-flow__viewport")?.style.transform].join("\\n")"""


def listed(page: Page) -> dict[str, list[str]]:
    """The usable keys by their label, as Playwright names them; the list is closed again."""
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard")
    expect(dialog).to_be_visible()
    found: dict[str, list[str]] = {}
    for line in dialog.locator("dl > div:not(.keys-off)").all():
        found[line.locator("dt").inner_text()] = _steps(line.locator("dd"))
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert found.pop("Close the open dialog") == ["Escape"]  # as it just did
    return found


def _steps(line: Locator) -> list[str]:
    """The first way to press it: what is held together joined, one key behind another apart."""
    text = line.inner_text().split(" or ")[0]
    parts = [part.split() for part in text.split(" then ")]
    return ["+".join(_NAMES.get(cap, cap) for cap in caps) for caps in parts]


def assert_does_something(page: Page, label: str, keys: list[str]) -> None:
    before = page.evaluate(_SEEN)
    for key in keys:
        page.keyboard.press(key)
    try:
        page.wait_for_function(f"before => ({_SEEN})() !== before", arg=before)
    except TimeoutError as nothing:
        raise AssertionError(f"{label}: {keys} did nothing") from nothing
