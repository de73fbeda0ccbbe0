"""The advice for an operator when the database refuses a connection."""

import pytest
from django.db import OperationalError

from ctxadmin.storage.database import probe


@pytest.mark.parametrize(
    ("number", "fix"),
    [
        (1045, "name and the password"),
        (1049, "Create the database"),
        (2002, "Check it"),
        (2026, "TLS on the server"),
        (2005, "Correct the host"),
    ],
)
def test_a_refusal_says_how_to_fix_it_and_quotes_nothing(
    monkeypatch: pytest.MonkeyPatch, number: int, fix: str
) -> None:
    def refuse() -> None:
        raise OperationalError(number, "secret words of the server")

    monkeypatch.setattr(probe, "settings_found", refuse)
    (found,) = probe.findings()
    assert (found.check, found.level) == ("database", "error")
    assert fix in found.fix
    assert str(number) in found.text
    assert "secret" not in found.text + found.fix
