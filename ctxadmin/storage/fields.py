"""Model fields whose columns compare byte by byte on every database."""

from typing import Any, TypeVar

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

_ST = TypeVar("_ST", contravariant=True)
_GT = TypeVar("_GT", covariant=True)


class AsciiField(models.CharField[_ST, _GT]):
    """Short ASCII text compared exactly: ids, digests in hex, codes.

    MySQL's default collations fold case, so that ``A`` and ``a`` would be one id.
    """

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        kind = super().db_type(connection)
        if connection.vendor == "mysql":
            return f"{kind} CHARACTER SET ascii COLLATE ascii_bin"
        return kind

    def db_parameters(self, connection: BaseDatabaseWrapper) -> Any:
        # The collation stands in the type already; MySQL refuses it twice.
        return super().db_parameters(connection) | {"collation": None}


class JsonBytesField(models.BinaryField[_ST, _GT]):
    """JSON as the received bytes; nothing parses it on the way to the answer."""
