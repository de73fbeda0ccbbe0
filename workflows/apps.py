"""Definitions of workflows as a Django app."""

from django.apps import AppConfig


class WorkflowsConfig(AppConfig):
    name = "workflows"

    def ready(self) -> None:
        """Registers the workflows and the tables of their heads with the apps below."""
        from conversations.services.use_cases import register_workflow_check
        from ctxadmin.audit.heads import HeadTable, register_heads
        from ctxadmin.audit.streams import register_stream
        from ctxadmin.realtime.topics import register_source
        from ctxadmin.ui.audit.change_words import register_change_words
        from ctxadmin.ui.audit.changed_values import register_changed_values
        from ctxadmin.ui.object_names import register_named_objects, register_object_names
        from workflows.events import page_updates
        from workflows.models import Workflow
        from workflows.store.workflow import register_follower, stream_of_workflow, workflow_exists

        register_workflow_check(workflow_exists)
        register_source(page_updates.SOURCE)
        register_heads(HeadTable(Workflow))
        register_stream("workflow", stream_of_workflow)
        register_follower(page_updates.announce_change)
        register_change_words("workflow", "workflows.pages.audit_words.words_of_runs")
        register_changed_values("workflow", "workflows.pages.audit_values.values_of_entry")
        register_object_names("workflow", "workflows.pages.audit_words.names_of_workflows")
        register_named_objects("workflow", "workflows.pages.audit_words.workflows_named")
