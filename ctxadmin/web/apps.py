"""What all pages and endpoints share, as a Django app."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "ctxadmin.web"
    label = "web"

    def ready(self) -> None:
        from ctxadmin.db import system_checks  # noqa: F401 - registers them
