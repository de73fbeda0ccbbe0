"""HTTP as a Django app, with the stored answers of idempotent requests."""

from django.apps import AppConfig


class HttpConfig(AppConfig):
    name = "ctxadmin.http"
    label = "web"
