"""The paths of the audit's pages."""

from django.urls import URLPattern, URLResolver, include, path

from ctxadmin.ui.audit import pages

_pages: list[URLPattern | URLResolver] = [
    path("", pages.audit_list, name="list"),
    path("verify/", pages.audit_verify, name="verify"),
    path("export/", pages.audit_export, name="export"),
    path("<int:stream>/<int:seq>/", pages.audit_entry, name="entry"),
]
urlpatterns: list[URLPattern | URLResolver] = [path("audit/", include((_pages, "audit")))]
