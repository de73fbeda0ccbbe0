"""Executions, state and checkpoints as a Django app."""

from django.apps import AppConfig


class CheckpointsConfig(AppConfig):
    name = "checkpoints"
