"""The paths of the conversation pages."""

from django.urls import URLPattern, URLResolver, include, path

from conversations.pages import export_page, import_pages
from conversations.pages.changes import (
    archive_pages,
    change_pages,
    operation_page,
    pinning,
    sheet_page,
)
from conversations.pages.comparison import comparison_pages
from conversations.pages.prices import prices
from conversations.pages.reading import (
    conversation_pages,
    filter_form,
    find_page,
    list_page,
    message_page,
    reading_pages,
)

_pages: list[URLPattern | URLResolver] = [
    path("", list_page.conversation_list, name="list"),
    path("import/", import_pages.upload, name="import"),
    path("import/report/", import_pages.report, name="import-report"),
    path("<str:conversation_id>/", conversation_pages.detail, name="detail"),
    path("<str:conversation_id>/messages/", conversation_pages.section, name="section"),
    path("<str:conversation_id>/messages/<int:index>/", message_page.message, name="message"),
    path("<str:conversation_id>/messages/<int:index>/pin/", pinning.pin, name="pin"),
    path("<str:conversation_id>/pin/", pinning.pin_selected, name="pin-selected"),
    path("<str:conversation_id>/pin/undo/", pinning.undo_pins, name="undo-pins"),
    path("<str:conversation_id>/hidden/", conversation_pages.hidden, name="hidden"),
    path("<str:conversation_id>/filter/", filter_form.filter_fields, name="filter"),
    path("<str:conversation_id>/outline/", reading_pages.outline, name="outline"),
    path("<str:conversation_id>/next-error/", reading_pages.next_error, name="next-error"),
    path("<str:conversation_id>/find/", find_page.find, name="find"),
    path("<str:conversation_id>/batches/", comparison_pages.revisions, name="revisions"),
    path("<str:conversation_id>/diff/", comparison_pages.diff, name="diff"),
    path("<str:conversation_id>/export/", export_page.export, name="export"),
    path("<str:conversation_id>/act/", sheet_page.act, name="act"),
    path("<str:conversation_id>/operate/", operation_page.operate, name="operate"),
    path("<str:conversation_id>/rollback/<int:batch>/", change_pages.rollback, name="rollback"),
    path("<str:conversation_id>/restore/<int:revision>/", change_pages.restore, name="restore"),
    path("<str:conversation_id>/edit/", change_pages.edit, name="edit"),
    path("<str:conversation_id>/archive/", archive_pages.archive, name="archive"),
    path("<str:conversation_id>/unarchive/", archive_pages.unarchive, name="unarchive"),
    path("<str:conversation_id>/erase/", change_pages.erase, name="erase"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("settings/prices/", prices, name="settings-prices"),
    path("conversations/", include((_pages, "conversations"))),
]
