"""Listeners for changed rights are called after the commit, even if other listeners fail."""

import pytest
from django.db import transaction

from ctxadmin.accounts import rights_changes
from ctxadmin.accounts.models import Membership, User
from ctxadmin.accounts.services import default_workspace

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The calls of a listener that was registered after one that fails."""
    told: list[tuple[str, str]] = []

    def failing(kind: str, name: str) -> None:
        raise ConnectionError

    monkeypatch.setattr(rights_changes, "LISTENERS", [failing])
    rights_changes.on_rights_changed(lambda kind, name: told.append((kind, name)))
    return told


def test_a_role_that_changes_is_reported_after_the_commit(heard: list[tuple[str, str]]) -> None:
    user = User.objects.create_user("rita")
    heard.clear()
    with transaction.atomic():
        Membership.objects.create(workspace=default_workspace(), user=user, role="viewer")
        assert heard == []
    assert heard == [("person", str(user.pk))]


def test_what_is_rolled_back_is_not_reported(heard: list[tuple[str, str]]) -> None:
    with transaction.atomic():
        User.objects.create_user("rita")
        transaction.set_rollback(True)
    assert heard == []


def test_a_sign_in_changes_no_rights(heard: list[tuple[str, str]]) -> None:
    user = User.objects.create_user("rita")
    heard.clear()
    user.save(update_fields=["last_login"])
    assert heard == []
