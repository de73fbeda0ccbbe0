"""The model that the steps of a conversation used last."""

from checkpoints.models import Usage


def latest_model(conversation: int) -> str:
    """Returns the model of the latest step with a report, "" without one; one row by the key."""
    rows = Usage.objects.filter(conversation=conversation).order_by("-execution", "-version")
    return rows.values_list("model", flat=True).first() or ""
