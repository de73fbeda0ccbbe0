"""What pages share as a Django app, with the template tags."""

from django.apps import AppConfig


class UiConfig(AppConfig):
    name = "ctxadmin.ui"
    label = "ui"
