"""The findings of environment checks, and what to do about them."""

from dataclasses import dataclass, replace
from typing import Literal

Level = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One check, in plain words for an operator.

    ``check`` names it and never changes. ``fix`` says how to correct it; without it all is well.
    With an ``error`` the process cannot serve correctly. An ``excusable`` one is a setting that an
    operator may have reasons for, and can confirm with ``CTXADMIN_ALLOW_UNSAFE_DATABASE``.
    ``public_fix`` replaces a ``fix`` that names what only operators may read.
    """

    check: str
    level: Level
    text: str
    fix: str = ""
    excusable: bool = False
    public_fix: str = ""

    def as_warning(self) -> "Finding":
        """Returns the finding as a warning, if it is excusable."""
        return replace(self, level="warning") if self.excusable else self

    def as_json(self) -> dict[str, str]:
        """Returns the finding without what only operators may read."""
        fix = self.public_fix or self.fix
        found: dict[str, str] = {"check": self.check, "level": self.level, "text": self.text}
        return found | {"mend": fix} if fix else found
