"""YAML as the body and as the answer of an endpoint."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any, Final

from django.conf import settings
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer

from ctxadmin.lib.errors import TooLarge
from ctxadmin.lib.sentence import say

# RFC 9512 names the first; the others are what clients sent before it.
MEDIA_TYPES: Final = ("application/yaml", "text/yaml", "application/x-yaml", "text/plain")


@dataclass(frozen=True, slots=True)
class YamlText:
    """A body that is YAML and not parsed yet."""

    data: bytes


class _YamlParser(BaseParser):
    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:  # DRF's stubs know forms only
        context = parser_context or {}
        encoding = context["request"].headers.get("Content-Encoding", "identity")
        if encoding.strip().lower() not in ("", "identity"):
            raise UnsupportedMediaType(media_type or "", "Compressed bodies are not accepted.")
        limit: int = getattr(context.get("view"), "max_body_bytes", settings.MAX_BODY_BYTES)
        data = stream.read(limit + 1)
        if len(data) > limit:
            raise TooLarge(say("The body is larger than {n} bytes.", n=limit), limit=limit)
        return YamlText(data)


class ApplicationYamlParser(_YamlParser):
    media_type = MEDIA_TYPES[0]


class TextYamlParser(_YamlParser):
    media_type = MEDIA_TYPES[1]


class FormerYamlParser(_YamlParser):
    media_type = MEDIA_TYPES[2]


class PlainTextParser(_YamlParser):
    media_type = MEDIA_TYPES[3]


class _YamlRenderer(BaseRenderer):
    format = "yaml"
    charset = "utf-8"

    def render(
        self,
        data: str,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        return data.encode()


class TextYamlRenderer(_YamlRenderer):
    media_type = MEDIA_TYPES[1]


class ApplicationYamlRenderer(_YamlRenderer):
    media_type = MEDIA_TYPES[0]
