"""Definitions of workflows as a Django app."""

from django.apps import AppConfig


class WorkflowsConfig(AppConfig):
    name = "workflows"

    def ready(self) -> None:
        """Tell the app below which workflows there are."""
        from conversations.services import ask_for_workflows
        from ctxadmin.sockets.topics import register_source
        from workflows import following
        from workflows.store import follow, workflow_exists

        ask_for_workflows(workflow_exists)
        register_source(following.SOURCE)
        follow(following.tell)
