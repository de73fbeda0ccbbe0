"""Sentences of rules in the language of the reader."""

from django.utils.translation import gettext

from ctxadmin.lib.sentence import Sentence


def translated(text: str) -> str:
    """Returns a sentence in the reader's language; any other text, such as data, unchanged."""
    if not isinstance(text, Sentence):
        return text
    values = {
        name: translated(value) if isinstance(value, str) else value
        for name, value in text.values.items()
    }
    return gettext(text.template).format(**values)
