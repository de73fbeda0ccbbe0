"""Numbers in addresses of pages that no database holds."""

import re
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from ctxadmin.identity.roles import Role
from tests.factories import signed_in
from tests.integration.pages.execution_scenes import paused

pytestmark = pytest.mark.django_db
_NUMBERS = re.compile(r"<int:\w+>")
_LARGE = str(10**24)


@pytest.fixture
def admin() -> Client:
    return signed_in(Role.ADMIN)


def routes(resolver: URLResolver, before: str = "") -> Iterator[str]:
    for each in resolver.url_patterns:
        route = before + str(each.pattern)
        if isinstance(each, URLPattern):
            yield route
        else:
            yield from routes(each, route)


def large(numbers: int) -> Iterator[list[str]]:
    """One number after the other that is too large, and all."""
    yield [_LARGE] * numbers
    for place in range(numbers if numbers > 1 else 0):
        yield [_LARGE if at == place else "1" for at in range(numbers)]


def test_no_page_has_a_number_that_no_database_holds(admin: Client) -> None:
    paused("case")
    found = [each for each in routes(get_resolver()) if _NUMBERS.search(each)]
    assert found
    for route in found:
        for numbers in large(len(_NUMBERS.findall(route))):
            address = "/" + re.sub(r"<str:\w+>", "case", route)
            for number in numbers:
                address = _NUMBERS.sub(number, address, count=1)
            assert "<" not in address, address
            assert admin.get(address).status_code in (302, 401, 404), address
