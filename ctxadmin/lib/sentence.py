"""Sentences of rules: English text that still has its template and its values.

Rules know no language. Their text is a ``str`` for whoever reads it as one (JSON, logs, stored
data); a page translates the template and inserts the values again.
"""

from collections.abc import Mapping


class Sentence(str):
    """A text of ``template``, with ``values`` in its ``{…}``; these can be sentences again.

    It stays one only as a whole: what is cut, joined or parsed from JSON is plain text.
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
    """Returns the sentence of ``template``, a literal, which the catalogs are extracted from."""
    return Sentence(template, values)


def as_value(value: object) -> object:
    """Returns a text as a value of JSON: a sentence with its template and values."""
    if isinstance(value, Sentence):
        gaps = {name: as_value(each) for name, each in value.values.items()}
        return {"say": value.template, "with": gaps}
    return value if isinstance(value, int | float) else str(value)


def of_value(value: object) -> object:
    """Returns the text that ``as_value`` made a value of, sentences as such."""
    if not isinstance(value, dict):
        return value
    return Sentence(value["say"], {name: of_value(each) for name, each in value["with"].items()})
