"""What pages share as a Django app, with the template tags."""

from django.apps import AppConfig


class UiConfig(AppConfig):
    name = "ctxadmin.ui"
    label = "ui"

    def ready(self) -> None:
        """Registers the names of tokens and people, and words of their changes, for the audit."""
        from ctxadmin.ui.audit.change_words import register_change_words
        from ctxadmin.ui.audit.changed_values import register_changed_values
        from ctxadmin.ui.object_names import register_named_objects, register_object_names

        register_object_names("token", "ctxadmin.accounts.services.token_names")
        register_named_objects("token", "ctxadmin.accounts.named_objects.tokens_named")
        register_named_objects("member", "ctxadmin.accounts.named_objects.members_named")
        register_named_objects("person", "ctxadmin.accounts.named_objects.accounts_named")
        for kind in ("member", "token"):
            register_change_words(kind, "ctxadmin.ui.accounts.audit_words.words_of_runs")
            register_changed_values(kind, "ctxadmin.ui.accounts.audit_words.values_of_entry")
