"""What only its reader may see is kept by no browser and no proxy."""

import pytest
from rest_framework.test import APIClient

from ctxadmin.identity.roles import Role
from tests.factories import signed_in

pytestmark = pytest.mark.django_db


def test_pages_and_answers_are_not_stored() -> None:
    person = signed_in(Role.ADMIN)
    for path in ("/", "/conversations/", "/settings/", "/sign-in/", "/nowhere"):
        assert "no-store" in person.get(path)["Cache-Control"]
    assert person.get("/api/v1/conversations")["Cache-Control"] == "no-store"
    assert APIClient().get("/api/v1/conversations")["Cache-Control"] == "no-store"
