"""The composition root as a Django app: it has the command ``serve``."""

from django.apps import AppConfig


class ProjectConfig(AppConfig):
    name = "ctxadmin.config"
    label = "config"
