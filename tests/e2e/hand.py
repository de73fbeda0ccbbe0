"""A hand that does what people do often, and counts its clicks and keys."""

import re
from typing import Final

from playwright.sync_api import Locator, Page, expect

from tests.servers import ROOT

_TABLE: Final = ROOT / "docs" / "explanation" / "frequent-tasks.md"
_ROW: Final = re.compile(r"^\| ([^|]+?) \|[^|]+\|[^|]+\| (\d+) \| (\d+) \|$", re.MULTILINE)


class Hand:
    """Each click counts one, and each key or combination; the letters of a text do not."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.count = 0

    def click(self, place: Locator) -> None:
        self.count += 1
        place.click()

    def press(self, key: str) -> None:
        self.count += 1
        self.page.keyboard.press(key)

    def type(self, text: str, field: Locator) -> None:
        """Types into what has the focus already: to move there is another click or key."""
        expect(field).to_be_focused()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(text)

    def has_done(self, task: str) -> None:
        """Asserts that the task took as many steps as the table tells, and starts again at 0."""
        told = {name: int(count) for name, _goal, count in _ROW.findall(_TABLE.read_text())}
        assert (task, self.count) == (task, told[task])
        self.count = 0
