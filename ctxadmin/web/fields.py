"""The fields under the path that migrations name, which never change."""

from ctxadmin.storage.fields import AsciiField, JsonBytesField

__all__ = ["AsciiField", "JsonBytesField"]
