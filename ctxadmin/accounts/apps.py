"""Workspaces, people and engine tokens as a Django app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "ctxadmin.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connects sign-ins to sessions and the audit; registers the workspaces with the audit."""
        from django.contrib.auth import signals

        from ctxadmin.accounts import access_log, rights_changes, sessions
        from ctxadmin.accounts.models import Workspace, workspace_keys
        from ctxadmin.audit.anchors import register_workspaces
        from ctxadmin.audit.heads import HeadTable, register_heads

        register_heads(HeadTable(Workspace))
        register_workspaces(workspace_keys)
        signals.user_logged_in.connect(sessions.set_session_end)
        signals.user_logged_in.connect(access_log.record_sign_in)
        signals.user_logged_out.connect(access_log.record_sign_out)
        signals.user_login_failed.connect(access_log.record_failed_sign_in)
        rights_changes.watch_models()
