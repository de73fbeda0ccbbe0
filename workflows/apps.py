"""Definitions of workflows as a Django app."""

from django.apps import AppConfig


class WorkflowsConfig(AppConfig):
    name = "workflows"
