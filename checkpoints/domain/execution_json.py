"""An execution as JSON bytes, there and back."""

import msgspec

from checkpoints.domain.execution import Execution
from ctxadmin.lib.sentence import Sentence

_decoder = msgspec.json.Decoder(Execution)


def dump(execution: Execution) -> bytes:
    """An execution as JSON bytes; ``read`` gives it back."""
    return msgspec.json.encode(execution, enc_hook=_plain)


def _plain(value: object) -> str:
    """The text of a sentence, such as why a node failed; msgspec takes no subclass of ``str``."""
    if isinstance(value, Sentence):
        return str(value)
    raise TypeError(f"an execution does not keep {type(value).__name__}")


def read(data: bytes) -> Execution:
    """The execution in bytes that ``dump`` wrote."""
    return _decoder.decode(data)
