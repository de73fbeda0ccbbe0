"""Workspaces, people and engine tokens as a Django app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "ctxadmin.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"
