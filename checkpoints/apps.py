"""Executions, state and checkpoints as a Django app."""

from django.apps import AppConfig


class CheckpointsConfig(AppConfig):
    name = "checkpoints"

    def ready(self) -> None:
        """Registers the state of executions with the apps below."""
        from checkpoints.contexts.node_context import state_source
        from checkpoints.events import page_updates
        from checkpoints.live_copy import erasure, setup
        from checkpoints.maintenance.run import register_records
        from checkpoints.reading.fork_list import forks_of
        from checkpoints.reading.node_names import names_in_executions
        from checkpoints.reading.pause_requests import has_pause_request
        from checkpoints.reading.review_answers import answers_of_conversations
        from checkpoints.statistics.estimates import calibration_source
        from checkpoints.statistics.latest_model import latest_model
        from checkpoints.statistics.metrics import execution_metrics
        from checkpoints.statistics.run_counts import run_counts
        from checkpoints.store.executions import erase
        from checkpoints.verification.conversation import find_damage
        from conversations.lifecycle.copies import register_copies
        from conversations.lifecycle.erasure import on_erase
        from conversations.reading.model_names import register_model_source
        from conversations.reading.node_names import register_node_name_source
        from conversations.reading.pause_requests import register_pause_source
        from conversations.reading.proposed_answers import register_proposal_source
        from conversations.workspace import feed
        from conversations.writing.announcements import register_follower
        from ctxadmin.http.diagnosis import register_finder
        from ctxadmin.realtime.topics import register_source
        from ctxadmin.telemetry.readings import register_reading
        from ctxadmin.ui.audit.change_words import register_change_words
        from workflows.backtests.store import old_backtests
        from workflows.costs.calibrations import register_calibration_source
        from workflows.reading.sources import register_run_counter, register_state_source

        register_records("events", feed.remove_old)
        register_records("backtests", old_backtests)
        on_erase(erase)
        on_erase(erasure.schedule_removal)
        register_copies(forks_of)
        register_model_source(latest_model)
        register_node_name_source(names_in_executions)
        register_pause_source(has_pause_request)
        register_proposal_source(answers_of_conversations)
        register_state_source(state_source)
        register_run_counter(run_counts)
        register_calibration_source(calibration_source)
        register_reading(execution_metrics)
        register_finder(find_damage)
        register_change_words("execution", "checkpoints.pages.audit_words.words_of_runs")
        setup.set_up()
        register_source(page_updates.SOURCE)
        register_follower(page_updates.announce_changes)
