"""The paths of the pages of bulk actions."""

from django.urls import URLPattern, URLResolver, include, path

from bulk.pages import job_page, select_page

_pages: list[URLPattern | URLResolver] = [
    path("", job_page.job_list, name="list"),
    path("select/", select_page.select, name="select"),
    path("<str:job_id>/", job_page.job, name="job"),
    path("<str:job_id>/start/", job_page.start, name="start"),
    path("<str:job_id>/cancel/", job_page.cancel, name="cancel"),
    path("<str:job_id>/rest/", job_page.rest, name="rest"),
    path("<str:job_id>/undo/", job_page.undo, name="undo"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("bulk/", include((_pages, "bulk"))),
]
