"""The demo as a Django app: commands without tables."""

from django.apps import AppConfig


class DemoConfig(AppConfig):
    name = "demo"
