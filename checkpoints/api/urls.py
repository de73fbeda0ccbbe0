"""The paths of this app's endpoints."""

from django.urls import URLPattern, URLResolver, path

from checkpoints.api import (
    annotation_views,
    change_wait_views,
    execution_views,
    feed_views,
    node_views,
    status_views,
    usage_views,
    views,
    what_if_view,
)

_ONE = "conversations/<str:conversation_id>"
_VERSION = f"{_ONE}/checkpoints/<str:version>"
_NODE = f"{_ONE}/nodes/<str:node_id>"

urlpatterns: list[URLPattern | URLResolver] = [
    path(f"{_ONE}/executions", execution_views.Executions.as_view()),
    path(f"{_ONE}/snapshot", views.Snapshot.as_view()),
    path(f"{_ONE}/checkpoints", views.Checkpoints.as_view()),
    path(f"{_ONE}/checkpoints/diff", views.CheckpointDiff.as_view()),
    path(f"{_ONE}/checkpoints/<str:checkpoint_id>", views.OneCheckpoint.as_view()),
    path(f"{_ONE}/checkpoints/<str:checkpoint_id>/writes/<str:task_id>", views.Writes.as_view()),
    path(f"{_VERSION}/restore", views.RestoreVersion.as_view()),
    path(f"{_VERSION}/fork", views.ForkVersion.as_view()),
    path(f"{_NODE}/enter", node_views.Enter.as_view()),
    path(f"{_NODE}/claim", node_views.Claim.as_view()),
    path(f"{_NODE}/release", node_views.Release.as_view()),
    path(f"{_NODE}/complete", node_views.Complete.as_view()),
    path(f"{_ONE}/pause", status_views.Pause.as_view()),
    path(f"{_ONE}/resume", status_views.Resume.as_view()),
    path(f"{_ONE}/cancel", status_views.Cancel.as_view()),
    path(f"{_ONE}/approve", status_views.Approve.as_view()),
    path(f"{_ONE}/reject", status_views.Reject.as_view()),
    path(f"{_ONE}/comments", annotation_views.Comments.as_view()),
    path(f"{_ONE}/comments/<str:number>", annotation_views.OneComment.as_view()),
    path(f"{_ONE}/labels", annotation_views.Labels.as_view()),
    path(f"{_VERSION}/label", annotation_views.OneLabel.as_view()),
    path(f"{_ONE}/claim", annotation_views.ClaimReview.as_view()),
    path(f"{_ONE}/release", annotation_views.ReleaseReview.as_view()),
    path(f"{_ONE}/wait", change_wait_views.Wait.as_view()),
    path(f"{_ONE}/events", change_wait_views.Events.as_view()),
    path("usage", usage_views.UsageSums.as_view()),
    path("events", feed_views.Events.as_view()),
    path("workflows/<str:slug>/what-if", what_if_view.TryWhatIf.as_view()),
]
