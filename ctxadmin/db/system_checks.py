"""What the probe finds, as system checks of Django: ``manage.py check --database default``."""

from collections.abc import Sequence
from typing import Any

from django.core import checks
from django.db import DEFAULT_DB_ALIAS

from ctxadmin.db import probe


@checks.register(checks.Tags.database)
def check_database(
    *, databases: Sequence[str] | None = None, **others: Any
) -> list[checks.CheckMessage]:
    """All but migrations: ``migrate`` itself asks this first."""
    if DEFAULT_DB_ALIAS not in (databases or ()):
        return []
    return [
        (checks.Error if found.level == "error" else checks.Warning)(
            found.text, hint=found.mend, id=f"ctxadmin.{found.check}"
        )
        for found in probe.settings_only()
        if found.level != "ok"
    ]
