"""The paths of the OpenAPI document and of the pages that show it."""

from django.urls import path

from ctxadmin.ui import api_docs
from ctxadmin.web.openapi import schema_view

urlpatterns = [
    path("schema", schema_view, name="api-schema"),
    path("docs", api_docs.index, name="api-docs"),
    path("docs/errors", api_docs.errors, name="api-errors"),
    path("docs/<slug:name>", api_docs.operation, name="api-operation"),
]
