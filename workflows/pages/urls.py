"""The paths of the workflow pages."""

from django.urls import URLPattern, URLResolver, include, path

from workflows.pages.comparison import call_page, result_page, use
from workflows.pages.comparison import page as comparison_page
from workflows.pages.definition import (
    action_pages,
    element_pages,
    import_page,
    new_page,
    publish_costs,
    workflow_pages,
)
from workflows.pages.editor import (
    canvas,
    card_summaries,
    conflict_sides,
    context_names,
    costs,
    diff_canvas,
    draft_changes,
    drawn_canvas,
    node_preview,
    panel,
)
from workflows.pages.preview import page as preview_page

_COMPARISON = "<str:slug>/compare/<str:backtest_id>/"

_pages: list[URLPattern | URLResolver] = [
    path("", workflow_pages.workflow_list, name="list"),
    path("+new/", new_page.create, name="create"),
    path("+new/same-name/", new_page.same_name, name="same-name"),
    path("import/", import_page.upload, name="import"),
    path("<str:slug>/", workflow_pages.detail, name="detail"),
    path("<str:slug>/editor/", canvas.editor, name="editor"),
    path("<str:slug>/edit/", action_pages.edit, name="edit"),
    path("<str:slug>/delete/", action_pages.delete, name="delete"),
    path("<str:slug>/yaml/", workflow_pages.yaml_file, name="yaml"),
    path("<str:slug>/json/", workflow_pages.json_file, name="json"),
    path("<str:slug>/preview/", preview_page.preview, name="preview"),
    path("<str:slug>/compare/", comparison_page.compare_policies, name="compare"),
    path(_COMPARISON, result_page.comparison, name="comparison"),
    path(f"{_COMPARISON}cancel/", result_page.cancel, name="comparison-cancel"),
    path(f"{_COMPARISON}use/", use.use, name="comparison-use"),
    path(f"{_COMPARISON}undo/", use.undo, name="comparison-undo"),
    path(f"{_COMPARISON}call/", call_page.compared_call, name="compare-call"),
    path("<str:slug>/drawn/", drawn_canvas.drawn, name="drawn"),
    path("<str:slug>/editor/draft/", draft_changes.save, name="editor-draft"),
    path("<str:slug>/editor/panel/", panel.panel, name="editor-panel"),
    path("<str:slug>/editor/read/", panel.read, name="editor-read"),
    path("<str:slug>/editor/preview/", node_preview.preview, name="editor-preview"),
    path("<str:slug>/editor/names/", context_names.context_names, name="editor-names"),
    path("<str:slug>/editor/costs/", costs.costs, name="editor-costs"),
    path("<str:slug>/editor/words/", card_summaries.words, name="editor-words"),
    path("<str:slug>/editor/sides/", conflict_sides.sides, name="editor-sides"),
    path("<str:slug>/publish/", action_pages.publish, name="publish"),
    path("<str:slug>/use-budget/", publish_costs.use_budget, name="use-budget"),
    path("<str:slug>/versions/", workflow_pages.versions, name="versions"),
    path("<str:slug>/versions/<int:number>/", workflow_pages.version, name="version"),
    path("<str:slug>/versions/<int:number>/restore/", action_pages.restore, name="restore"),
    path("<str:slug>/diff/", workflow_pages.diff, name="diff"),
    path(
        "<str:slug>/diff/<str:before>/<str:after>/canvas/", diff_canvas.canvas, name="diff-canvas"
    ),
    path("<str:slug>/diff/<str:before>/<str:after>/drawn/", diff_canvas.drawn, name="diff-drawn"),
    path("<str:slug>/diff/<str:before>/<str:after>/panel/", diff_canvas.panel, name="diff-panel"),
    path("<str:slug>/reducers/", element_pages.reducers, name="reducers"),
    path("<str:slug>/add-node/", element_pages.new_node, name="new-node"),
    path("<str:slug>/add-edge/", element_pages.new_edge, name="new-edge"),
    path("<str:slug>/nodes/<str:node_id>/", element_pages.node, name="node"),
    path("<str:slug>/nodes/<str:node_id>/delete/", action_pages.delete_node, name="delete-node"),
    path("<str:slug>/edges/<str:edge_id>/", element_pages.edge, name="edge"),
    path("<str:slug>/edges/<str:edge_id>/delete/", action_pages.delete_edge, name="delete-edge"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("workflows/", include((_pages, "workflows"))),
]
