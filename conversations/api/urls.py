"""The paths of the conversation endpoints."""

from django.urls import URLPattern, URLResolver, path

from conversations.api import views

_ONE = "conversations/<str:conversation_id>"

urlpatterns: list[URLPattern | URLResolver] = [
    path("conversations", views.Conversations.as_view()),
    path("conversations/import", views.Import.as_view()),
    path(_ONE, views.OneConversation.as_view()),
    path(f"{_ONE}/archive", views.Archive.as_view()),
    path(f"{_ONE}/unarchive", views.Unarchive.as_view()),
    path(f"{_ONE}/messages", views.Messages.as_view()),
    path(f"{_ONE}/operations", views.Operations.as_view()),
    path(f"{_ONE}/batches", views.Batches.as_view()),
    path(f"{_ONE}/rollback", views.RollbackTo.as_view()),
    path(f"{_ONE}/restore", views.RestoreRevision.as_view()),
    path(f"{_ONE}/diff", views.Diff.as_view()),
    path(f"{_ONE}/export", views.Export.as_view()),
    path("processor-configs/validate", views.ValidateConfig.as_view()),
    path("processor-configs/migrate", views.MigrateConfig.as_view()),
]
