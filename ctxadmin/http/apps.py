"""HTTP as a Django app: it keeps the answers of calls that may be repeated."""

from django.apps import AppConfig


class HttpConfig(AppConfig):
    name = "ctxadmin.http"
    label = "web"
