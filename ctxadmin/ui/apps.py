"""What pages share as a Django app, with the template tags."""

from django.apps import AppConfig


class UiConfig(AppConfig):
    name = "ctxadmin.ui"
    label = "ui"

    def ready(self) -> None:
        """Registers the names of tokens for the audit."""
        from ctxadmin.ui.object_names import register_object_names

        register_object_names("token", "ctxadmin.accounts.services.token_names")
