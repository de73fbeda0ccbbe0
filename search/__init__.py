"""Search in what people and engines wrote: messages, states, reasons, comments, titles."""
