"""Reads a workflow from YAML, with a bound on the work of one call."""

from collections.abc import Sequence

from django.conf import settings
from pydantic import JsonValue

from ctxadmin.lib.work_budget import limit_work
from workflows.domain.document import yaml_io
from workflows.domain.document.elements import Problem
from workflows.domain.document.graph import Document
from workflows.domain.document.yaml_json import YamlPlace, load_json


def read_yaml(text: str | bytes, *, default_name: str = "") -> Document:
    """Returns the document in a YAML text; ``default_name`` is its name if the text has none.

    Raises ValidationFailed with line and column; TooLarge also over CTXADMIN_MAX_WORK.
    """
    with limit_work(settings.MAX_WORK):
        return yaml_io.load(text, default_name=default_name)


def read_json(text: str | bytes) -> JsonValue:
    """Returns a YAML text as JSON, whether it is a workflow or not.

    Raises ValidationFailed for a text that is no YAML; TooLarge also over CTXADMIN_MAX_WORK.
    """
    with limit_work(settings.MAX_WORK):
        return load_json(text)


def places_of(text: str | bytes, problems: Sequence[Problem]) -> list[YamlPlace]:
    """Returns the places in a parsed text of some problems of its document."""
    with limit_work(settings.MAX_WORK):
        return yaml_io.places_of(text, problems)
