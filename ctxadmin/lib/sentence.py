"""Sentences that rules say: English text that still knows its template and its values.

Rules know no language. What they say is a ``str`` for whoever reads it as one (JSON, logs, what
is stored); a page translates the template and puts the values in again.
"""

from collections.abc import Mapping


class Sentence(str):
    """A text of ``template``, in whose ``{…}`` stand ``values``; these may be sentences again.

    It stays one only as a whole: what is cut, joined or comes out of JSON is a plain text.
    """

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, values: Mapping[str, object]) -> "Sentence":
        made = super().__new__(cls, template.format(**values))
        made.template, made.values = template, values
        return made

    def __reduce__(self) -> tuple[type["Sentence"], tuple[str, Mapping[str, object]]]:
        return Sentence, (self.template, self.values)


def say(template: str, /, **values: object) -> Sentence:
    """The sentence of ``template``, a literal: the catalogues are made from what stands there."""
    return Sentence(template, values)
