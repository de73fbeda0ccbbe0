"""The paths of the pages for notifications and webhooks."""

from django.urls import URLPattern, URLResolver, path

from notifications.pages import preferences, webhooks

_ONE = "settings/webhooks/<str:webhook_id>/"

urlpatterns: list[URLPattern | URLResolver] = [
    path("notifications/", preferences.choices, name="notifications"),
    path("notifications/news/", preferences.news, name="notifications-news"),
    path("settings/webhooks/", webhooks.webhooks, name="webhooks"),
    path("settings/webhooks/new/", webhooks.new_webhook, name="webhook-new"),
    path(_ONE, webhooks.webhook, name="webhook"),
    path(f"{_ONE}act/", webhooks.act, name="webhook-act"),
    path(f"{_ONE}remove/", webhooks.remove, name="webhook-remove"),
    path(f"{_ONE}secret/", webhooks.renew, name="webhook-secret"),
]
