"""What rules say, in the language of the reader."""

from django.utils.translation import gettext

from ctxadmin.lib.sentence import Sentence


def translated(text: str) -> str:
    """A sentence in the reader's language; a text that is none, such as data, as it is."""
    if not isinstance(text, Sentence):
        return text
    values = {
        name: translated(value) if isinstance(value, str) else value
        for name, value in text.values.items()
    }
    return gettext(text.template).format(**values)
