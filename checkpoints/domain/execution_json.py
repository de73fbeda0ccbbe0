"""An execution as JSON bytes, there and back."""

import msgspec

from checkpoints.domain.execution import Execution
from ctxadmin.lib.sentence import Sentence

_decoder = msgspec.json.Decoder(Execution)


def dump(execution: Execution) -> bytes:
    """Returns an execution as JSON bytes for ``read``."""
    return msgspec.json.encode(execution, enc_hook=_plain)


def _plain(value: object) -> str:
    """Returns the text of a sentence as ``str``; msgspec accepts no subclass."""
    if isinstance(value, Sentence):
        return str(value)
    raise TypeError(f"an execution does not keep {type(value).__name__}")


def read(data: bytes) -> Execution:
    """Returns the execution in bytes from ``dump``."""
    return _decoder.decode(data)
