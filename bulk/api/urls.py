"""The paths of this app's endpoints."""

from django.urls import URLPattern, URLResolver, path

from bulk.api import views

_ONE = "bulk-actions/<str:job_id>"

urlpatterns: list[URLPattern | URLResolver] = [
    path("bulk-actions", views.BulkActions.as_view()),
    path("bulk-actions/dry-run", views.DryRunBulkAction.as_view()),
    path(_ONE, views.OneBulkAction.as_view()),
    path(f"{_ONE}/items", views.BulkActionItems.as_view()),
    path(f"{_ONE}/cancel", views.CancelBulkAction.as_view()),
]
