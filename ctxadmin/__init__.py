"""ctxadmin: the control plane for the context of LLM agent workflows."""

__version__ = "0.1.0"
