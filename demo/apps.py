"""The demo as a Django app: it has commands and no tables."""

from django.apps import AppConfig


class DemoConfig(AppConfig):
    name = "demo"
