"""The paths of the workflow pages."""

from django.urls import URLPattern, URLResolver, include, path

from workflows.pages.definition import editing, importing, managing, reading
from workflows.pages.editor import canvas, card_words, diff_canvas, node_preview, panel, sides
from workflows.pages.preview import page as preview_page

_pages: list[URLPattern | URLResolver] = [
    path("", reading.workflow_list, name="list"),
    path("+new/", managing.create, name="create"),
    path("import/", importing.upload, name="import"),
    path("<str:slug>/", reading.detail, name="detail"),
    path("<str:slug>/editor/", canvas.editor, name="editor"),
    path("<str:slug>/edit/", managing.edit, name="edit"),
    path("<str:slug>/delete/", managing.delete, name="delete"),
    path("<str:slug>/yaml/", reading.yaml_file, name="yaml"),
    path("<str:slug>/json/", reading.json_file, name="json"),
    path("<str:slug>/preview/", preview_page.preview, name="preview"),
    path("<str:slug>/editor/panel/", panel.panel, name="editor-panel"),
    path("<str:slug>/editor/read/", panel.read, name="editor-read"),
    path("<str:slug>/editor/preview/", node_preview.preview, name="editor-preview"),
    path("<str:slug>/editor/words/", card_words.words, name="editor-words"),
    path("<str:slug>/editor/sides/", sides.sides, name="editor-sides"),
    path("<str:slug>/publish/", managing.publish, name="publish"),
    path("<str:slug>/versions/", reading.versions, name="versions"),
    path("<str:slug>/versions/<int:number>/", reading.version, name="version"),
    path("<str:slug>/versions/<int:number>/restore/", managing.restore, name="restore"),
    path("<str:slug>/diff/", reading.diff, name="diff"),
    path(
        "<str:slug>/diff/<str:before>/<str:after>/canvas/", diff_canvas.canvas, name="diff-canvas"
    ),
    path("<str:slug>/diff/<str:before>/<str:after>/panel/", diff_canvas.panel, name="diff-panel"),
    path("<str:slug>/reducers/", editing.reducers, name="reducers"),
    path("<str:slug>/add-node/", editing.new_node, name="new-node"),
    path("<str:slug>/add-edge/", editing.new_edge, name="new-edge"),
    path("<str:slug>/nodes/<str:node_id>/", editing.node, name="node"),
    path("<str:slug>/nodes/<str:node_id>/delete/", managing.delete_node, name="delete-node"),
    path("<str:slug>/edges/<str:edge_id>/", editing.edge, name="edge"),
    path("<str:slug>/edges/<str:edge_id>/delete/", managing.delete_edge, name="delete-edge"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("workflows/", include((_pages, "workflows"))),
]
