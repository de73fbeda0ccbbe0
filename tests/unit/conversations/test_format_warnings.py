"""The warnings of formats: English as text, and in the language of a reader."""

from typing import Any

import pytest
from django.utils import translation

from conversations.domain.formats.formats import FORMATS, ProviderFormat, write
from conversations.domain.formats.source import SourceMessage
from ctxadmin.lib.sentence import Sentence
from ctxadmin.ui.sentences import translated

IMAGE = {"type": "image_url", "image_url": {"url": "https://x.test/a.png"}, "extra": 1}
TIFF = {"type": "image_url", "image_url": {"url": "data:image/tiff;base64,AAAA"}}
OWN = {"provider": {"format": "other", "fields": {"a": 1}}}
MESSAGES: tuple[dict[str, Any], ...] = (
    {"role": "assistant", "content": [IMAGE, {"type": "refusal", "refusal": "no"}], "mood": "low"},
    {"role": "user", "content": [IMAGE, TIFF, {"type": "x"}, {"type": "text", "text": " "}]},
    {"role": "user", "content": [{"type": "text", "text": "t", "style": "bold"}], "name": "ann"},
    {"role": "user", "content": ""},
    {"role": "system", "content": "late", **OWN},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "a b", "arguments": "[]", "y": 1}],
    },
    {"role": "tool", "content": [IMAGE], "tool_call_id": "none", "is_error": True},
    {"role": "tool", "content": [IMAGE], "tool_call_id": "other"},
)


@pytest.mark.parametrize("name", FORMATS)
def test_every_warning_of_a_format_has_a_chinese_text(name: ProviderFormat) -> None:
    found = write([SourceMessage(index, each) for index, each in enumerate(MESSAGES)], name)
    assert len(found.warnings) > 5
    for warning in found.warnings:
        assert isinstance(warning.message, Sentence), warning.message
        with translation.override("zh-hans"):
            chinese = translated(warning.message)
        for english in (" has no ", "field", " call", "message", " part", "an image", "text "):
            assert english not in chinese, chinese
