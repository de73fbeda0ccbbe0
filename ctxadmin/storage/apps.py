"""Storage as a Django app, with the command ``migrate`` and the checks of databases."""

from django.apps import AppConfig


class StorageConfig(AppConfig):
    name = "ctxadmin.storage"
    label = "storage"

    def ready(self) -> None:
        from ctxadmin.storage.database import system_checks  # noqa: F401 - registers them
