"""Reads an upload: an export document, or conversations of any shape."""

from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from conversations.domain.export_reading import read_export
from conversations.domain.imports.files import read_file
from conversations.domain.imports.report import ImportReport
from conversations.domain.imports.shapes import EXPORT_NAME, read_only
from conversations.domain.imports.source_values import with_line
from conversations.domain.imports.transcript import ImportedConversation
from conversations.domain.transfer import Transfer, is_export
from ctxadmin.lib.errors import ContextError, ValidationFailed
from ctxadmin.lib.json_bytes import loads_strict
from ctxadmin.lib.sentence import say

Importable = Transfer | ImportedConversation


def read_upload(data: bytes, shape: str | None = None) -> Sequence[Importable]:
    """Returns the conversations of a file; ``shape`` is the name of the only one to try."""
    document = _export_in(data) if shape in (None, EXPORT_NAME) else None
    if document is not None:
        return [read_export(document)]
    lines = data.splitlines()
    if shape in (None, EXPORT_NAME) and lines and _export_in(lines[0]) is not None:
        return list(_exports_in(lines))
    if shape == EXPORT_NAME:
        raise ValidationFailed.at("", say("this is not an export of ctxadmin"))
    return read_file(data, shape)


def read_value(value: JsonValue, shape: str | None = None) -> Importable:
    """Returns the conversation of a JSON value; raises ValidationFailed if there are several."""
    if shape == EXPORT_NAME or (shape is None and is_export(value)):
        return read_export(value)
    return read_only(value, shape)


def report_of(source: Importable) -> ImportReport:
    """Returns what was taken as what; an export is stored unchanged."""
    if isinstance(source, ImportedConversation):
        return source.report
    drafts = [logged.entry.draft for logged in source.messages]
    return ImportReport(
        shape=EXPORT_NAME,
        conversations=1,
        messages=len(drafts),
        calls=sum(len(draft.call_ids) for draft in drafts),
        results=sum(draft.answers is not None for draft in drafts),
    )


def _exports_in(lines: Sequence[bytes]) -> Iterator[Transfer]:
    """Yields the export documents of JSON Lines; a refusal names the line."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            document = loads_strict(line)
            if not is_export(document):
                raise ValidationFailed.at("", say("this is not an export of ctxadmin"))
            found = read_export(document)
        except ContextError as error:
            raise with_line(error, number) from None
        yield found


def _export_in(data: bytes) -> JsonValue:
    """Returns the export document of the file, None if it is something else."""
    if b'"format"' not in data[:4096]:
        return None
    try:
        document = loads_strict(data)
    except ValidationFailed:
        return None  # JSONL, or nothing that can be read: the reader of files names the line
    return document if is_export(document) else None
