"""The endpoints that list what is registered: processors, transforms, reducers, schemas."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from pydantic import JsonValue
from rest_framework.request import Request
from rest_framework.response import Response

from ctxadmin.http.described import PAGE, Answer, ListOf, described
from ctxadmin.http.endpoints.endpoint import Endpoint
from ctxadmin.http.endpoints.pagination import PageRequest, foreign_cursor, page_of
from workflows.api.answers import ReducerAnswer, RegisteredAnswer, SchemaAnswer
from workflows.api.config_schemas import BASE, schema_models, schema_of, summary_of
from workflows.domain.processors.registries import standard
from workflows.domain.processors.registry import RegistryEntry
from workflows.reading.reducers import REDUCERS

ItemT = TypeVar("ItemT")


class _Names(Endpoint):
    """A list in memory, sorted by name."""

    def page(
        self, items: Sequence[ItemT], name: Callable[[ItemT], str], shown: Callable[[ItemT], Answer]
    ) -> Response:
        asked = PageRequest.of(self.request.query_params)
        match asked.after:
            case ():
                rest = list(items)
            case (str() as last,):
                rest = [item for item in items if name(item) > last]
            case _:
                raise foreign_cursor()
        page = page_of(rest[: asked.limit + 1], asked, lambda item: (name(item),))
        return Response(page.as_json([shown(item).model_dump() for item in page.items]))


class Processors(_Names):
    @described("List processors", answer=ListOf[RegisteredAnswer], query=PAGE)
    def get(self, request: Request) -> Response:
        """Lists the context types, including those of installed packages and of this server."""
        return self.page(standard().processors.entries(), lambda entry: entry.name, _registered)


class Transforms(_Names):
    @described("List transforms", answer=ListOf[RegisteredAnswer], query=PAGE)
    def get(self, request: Request) -> Response:
        """Lists the transforms that rules of filters can apply to a value."""
        return self.page(standard().transforms.entries(), lambda entry: entry.name, _registered)


class Reducers(_Names):
    @described("List reducers", answer=ListOf[ReducerAnswer], query=PAGE)
    def get(self, request: Request) -> Response:
        """Lists the ways in which new values of a state key can be combined."""
        return self.page(
            REDUCERS,
            lambda reducer: reducer.name,
            lambda reducer: ReducerAnswer(
                name=reducer.name,
                description=reducer.description,
                default_for=list(reducer.default_for),
            ),
        )


class Schemas(_Names):
    @described("List schemas", answer=ListOf[SchemaAnswer], query=PAGE)
    def get(self, request: Request) -> Response:
        """Lists the configs with a JSON Schema."""
        return self.page(
            list(schema_models().items()),
            lambda item: item[0],
            lambda item: SchemaAnswer(
                name=item[0], description=summary_of(item[1]), url=f"{BASE}/{item[0]}"
            ),
        )


class OneSchema(Endpoint):
    @described("Get a schema", answer=dict[str, JsonValue])
    def get(self, request: Request, name: str) -> Response:
        """Returns the JSON Schema of a config, dialect 2020-12."""
        return Response(schema_of(name))


def _registered(entry: RegistryEntry) -> RegisteredAnswer:
    return RegisteredAnswer(
        name=entry.name, origin=entry.origin, description=entry.description, fault=entry.fault
    )
