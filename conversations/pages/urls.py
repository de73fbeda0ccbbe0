"""The paths of the conversation pages."""

from django.urls import URLPattern, URLResolver, include, path

from conversations.pages import (
    archiving,
    changing,
    comparing,
    importing,
    operating,
    pinning,
    reading,
    whole,
)
from conversations.pages.prices import prices

_pages: list[URLPattern | URLResolver] = [
    path("", reading.conversation_list, name="list"),
    path("import/", importing.upload, name="import"),
    path("import/report/", importing.report, name="import-report"),
    path("<str:conversation_id>/", reading.detail, name="detail"),
    path("<str:conversation_id>/messages/", reading.section, name="section"),
    path("<str:conversation_id>/messages/<int:index>/", whole.message, name="message"),
    path("<str:conversation_id>/messages/<int:index>/pin/", pinning.pin, name="pin"),
    path("<str:conversation_id>/hidden/", reading.hidden, name="hidden"),
    path("<str:conversation_id>/find/", reading.find, name="find"),
    path("<str:conversation_id>/batches/", comparing.revisions, name="revisions"),
    path("<str:conversation_id>/diff/", comparing.diff, name="diff"),
    path("<str:conversation_id>/export/", reading.export, name="export"),
    path("<str:conversation_id>/operate/", operating.operate, name="operate"),
    path("<str:conversation_id>/rollback/<int:batch>/", changing.rollback, name="rollback"),
    path("<str:conversation_id>/restore/<int:revision>/", changing.restore, name="restore"),
    path("<str:conversation_id>/edit/", changing.edit, name="edit"),
    path("<str:conversation_id>/archive/", archiving.archive, name="archive"),
    path("<str:conversation_id>/unarchive/", archiving.unarchive, name="unarchive"),
    path("<str:conversation_id>/erase/", changing.erase, name="erase"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("settings/prices/", prices, name="settings-prices"),
    path("conversations/", include((_pages, "conversations"))),
]
