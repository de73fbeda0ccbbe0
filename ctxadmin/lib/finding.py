"""What a check of the surroundings found: is it as the promises need it, and else what to do."""

from dataclasses import dataclass, replace
from typing import Literal

Level = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One checked thing in plain words, for an operator.

    ``check`` names it and never changes. ``fix`` says how to make it right; without it all is
    well. With an ``error`` the process cannot serve truthfully. An ``excusable`` one is a setting
    that an operator may have reasons for, who says so by ``CTXADMIN_ALLOW_UNSAFE_DATABASE``.
    ``public_fix`` stands for a ``fix`` that names what only operators may read.
    """

    check: str
    level: Level
    text: str
    fix: str = ""
    excusable: bool = False
    public_fix: str = ""

    def excused(self) -> "Finding":
        """The same as a warning, if it may be one."""
        return replace(self, level="warning") if self.excusable else self

    def as_json(self) -> dict[str, str]:
        """As anyone may read it."""
        fix = self.public_fix or self.fix
        found: dict[str, str] = {"check": self.check, "level": self.level, "text": self.text}
        return found | {"mend": fix} if fix else found
