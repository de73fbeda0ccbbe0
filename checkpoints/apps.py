"""Executions, state and checkpoints as a Django app."""

from django.apps import AppConfig


class CheckpointsConfig(AppConfig):
    name = "checkpoints"

    def ready(self) -> None:
        """Tell the apps below what only this one knows: the state of executions."""
        from checkpoints import following
        from checkpoints.entering import state_source
        from checkpoints.figures import execution_figures
        from checkpoints.forks import forks_of
        from checkpoints.live_copy import erasing, setting_up
        from checkpoints.run_counts import run_counts
        from checkpoints.services.maintaining import register_records
        from checkpoints.store import forget
        from checkpoints.verification.conversation import find_damage
        from conversations import feed
        from conversations.announcing import follow
        from conversations.copies import register_copies
        from conversations.erasure import on_erase
        from ctxadmin.http.diagnosis import register_finder
        from ctxadmin.realtime.topics import register_source
        from ctxadmin.telemetry.readings import register_reading
        from workflows.sources import register_run_counter, register_state_source

        register_records("events", feed.remove_old)
        on_erase(forget)
        on_erase(erasing.forget)
        register_copies(forks_of)
        register_state_source(state_source)
        register_run_counter(run_counts)
        register_reading(execution_figures)
        register_finder(find_damage)
        setting_up.set_up()
        register_source(following.SOURCE)
        follow(following.tell)
