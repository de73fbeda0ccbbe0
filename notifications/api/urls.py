"""The paths of this app's endpoints."""

from django.urls import URLPattern, URLResolver, path

from notifications.api import events, views

_ONE = "webhooks/<str:webhook_id>"

urlpatterns: list[URLPattern | URLResolver] = [
    path("webhooks", views.Webhooks.as_view()),
    path(_ONE, views.OneWebhook.as_view()),
    path(f"{_ONE}/secret", views.RenewSecret.as_view()),
    path(f"{_ONE}/secret/former", views.FormerSecret.as_view()),
    path(f"{_ONE}/test", views.TestWebhook.as_view()),
    path(f"{_ONE}/deliveries", views.Deliveries.as_view()),
    path(f"{_ONE}/deliveries/<str:delivery_id>/resend", views.Resend.as_view()),
]

events.register()
