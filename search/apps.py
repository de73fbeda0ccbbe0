"""Search as a Django app."""

from django.apps import AppConfig


class SearchConfig(AppConfig):
    name = "search"

    def ready(self) -> None:
        """Registers that an erasure takes the texts of its conversation out of the index."""
        from conversations.lifecycle.erasure import on_erase
        from search import words
        from search.store import erase

        on_erase(erase, keeps_words=words.keeps_removed)
