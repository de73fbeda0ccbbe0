"""The paths of the OpenAPI document and of the pages that show it."""

from django.urls import path

from ctxadmin.http.openapi import schema_view
from ctxadmin.ui import api_docs

urlpatterns = [
    path("schema", schema_view, name="api-schema"),
    path("docs", api_docs.index, name="api-docs"),
    path("docs/errors", api_docs.errors, name="api-errors"),
    path("docs/<slug:name>", api_docs.operation, name="api-operation"),
]
