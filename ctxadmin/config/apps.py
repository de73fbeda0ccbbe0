"""The composition root as a Django app, with the command ``serve``."""

from django.apps import AppConfig


class ProjectConfig(AppConfig):
    name = "ctxadmin.config"
    label = "config"
