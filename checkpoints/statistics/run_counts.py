"""How often the versions of a workflow were run."""

from collections.abc import Mapping, Sequence

from django.db.models import Count

from checkpoints.models import Execution


def run_counts(workspace: int, workflow: int, versions: Sequence[int]) -> Mapping[int, int]:
    """Returns the number of executions of each version that ran (``workflows.reading.sources``)."""
    rows = Execution.objects.filter(
        workspace=workspace, workflow_key=workflow, workflow_version__in=list(versions)
    )
    counted = rows.values_list("workflow_version").annotate(n=Count("number")).order_by()
    return {version: n for version, n in counted if version is not None}
