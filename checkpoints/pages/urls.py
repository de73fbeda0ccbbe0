"""The paths of the overview and of the execution pages."""

from django.urls import URLPattern, URLResolver, include, path

from checkpoints.pages.decisions import assign_page, review_queue
from checkpoints.pages.decisions.approve_several import approve_several
from checkpoints.pages.decisions.context_seen import context_seen
from checkpoints.pages.editing import draft_call
from checkpoints.pages.editing import form_pages as editing
from checkpoints.pages.executions import (
    annotation_pages,
    canvas,
    deletion_page,
    execution_pages,
    pinned_workflow,
    provenance,
    restore_and_fork,
    status_buttons,
    version_pages,
)
from checkpoints.pages.executions.first_steps import close_first_steps
from checkpoints.pages.executions.key_history_page import key_history
from checkpoints.pages.executions.overview import overview
from checkpoints.pages.executions.overview_plots import executions_plots
from checkpoints.pages.executions.value_passage import value_passage
from checkpoints.pages.retention import retention
from checkpoints.pages.usage.canvas import usage_canvas, usage_canvas_panel
from checkpoints.pages.usage.estimates import usage_estimates
from checkpoints.pages.usage.page import usage, usage_days
from checkpoints.pages.what_if import editor_call as editor_what_if
from checkpoints.pages.what_if.page import what_if_page

_ONE = "<str:conversation_id>/"

_pages: list[URLPattern | URLResolver] = [
    path("", execution_pages.execution_list, name="list"),
    path(_ONE, execution_pages.detail, name="detail"),
    path(f"{_ONE}live/", execution_pages.live, name="live"),
    path(f"{_ONE}timeline/", execution_pages.timeline, name="timeline"),
    path(f"{_ONE}move/", status_buttons.move, name="move"),
    path(f"{_ONE}cancel/", status_buttons.cancel, name="cancel"),
    path(f"{_ONE}state/", editing.edit, name="edit"),
    path(f"{_ONE}state/draft/", draft_call.draft, name="draft"),
    path(f"{_ONE}workflow/", pinned_workflow.workflow, name="workflow"),
    path(f"{_ONE}workflow/drawn/", pinned_workflow.drawn, name="workflow-drawn"),
    path(f"{_ONE}drawn/", canvas.drawn, name="drawn"),
    path(f"{_ONE}canvas/", canvas.canvas, name="canvas"),
    path(f"{_ONE}canvas/marks/", canvas.marks, name="canvas-marks"),
    path(f"{_ONE}canvas/panel/", canvas.panel, name="canvas-panel"),
    path(f"{_ONE}comment/", annotation_pages.comment, name="comment"),
    path(f"{_ONE}comments/<int:number>/take-back/", annotation_pages.uncomment, name="uncomment"),
    path(f"{_ONE}versions/<int:number>/label/", annotation_pages.label, name="label"),
    path(f"{_ONE}claim/", annotation_pages.claim, name="claim"),
    path(f"{_ONE}assign/", assign_page.assign_page, name="assign"),
    path(f"{_ONE}state/key/", key_history, name="key-history"),
    path(f"{_ONE}written/<int:index>/", provenance.provenance_of, name="written"),
    path(f"{_ONE}diff/", version_pages.diff, name="diff"),
    path(f"{_ONE}versions/<int:number>/", version_pages.version, name="version"),
    path(f"{_ONE}versions/<int:number>/passage/", value_passage, name="passage"),
    path(f"{_ONE}versions/<int:number>/saw/", canvas.context_seen_panel, name="saw"),
    path(f"{_ONE}versions/<int:number>/context-seen/", context_seen, name="context-seen"),
    path(f"{_ONE}versions/<int:number>/restore/", restore_and_fork.restore, name="restore"),
    path(f"{_ONE}versions/<int:number>/fork/", restore_and_fork.fork, name="fork"),
    path(f"{_ONE}versions/<int:number>/delete/", deletion_page.delete, name="delete-version"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", overview, name="overview"),
    path("overview/first-steps/close/", close_first_steps, name="close-first-steps"),
    path("overview/executions/", executions_plots, name="overview-executions"),
    path("reviews/", review_queue.reviews, name="reviews"),
    path("reviews/waiting/", review_queue.waiting, name="reviews-waiting"),
    path("reviews/approve/", approve_several, name="reviews-approve"),
    path("usage/", usage, name="usage"),
    path("usage/days/", usage_days, name="usage-days"),
    path("usage/canvas/<str:slug>/", usage_canvas, name="usage-canvas"),
    path("usage/canvas/<str:slug>/panel/", usage_canvas_panel, name="usage-canvas-panel"),
    path("usage/estimates/", usage_estimates, name="usage-estimates"),
    path("settings/retention/", retention, name="settings-retention"),
    path("workflows/<str:slug>/what-if/", what_if_page, name="what-if"),
    path("workflows/<str:slug>/editor/what-if/", editor_what_if.what_if, name="editor-what-if"),
    path("executions/", include((_pages, "checkpoints"))),
]
