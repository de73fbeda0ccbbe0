"""The paths of the conversation endpoints."""

from django.urls import URLPattern, URLResolver, path

from conversations.api import message_views, price_views, recall_views, view_changes, views

_ONE = "conversations/<str:conversation_id>"

urlpatterns: list[URLPattern | URLResolver] = [
    path("conversations", views.Conversations.as_view()),
    path("conversations/import", views.Import.as_view()),
    path(_ONE, views.OneConversation.as_view()),
    path(f"{_ONE}/archive", views.Archive.as_view()),
    path(f"{_ONE}/unarchive", views.Unarchive.as_view()),
    path(f"{_ONE}/messages", message_views.Messages.as_view()),
    path(f"{_ONE}/messages/pop", message_views.PoppedMessages.as_view()),
    path(f"{_ONE}/messages/<str:message>", message_views.OneMessage.as_view()),
    path(f"{_ONE}/recalls", recall_views.RecallsOfConversation.as_view()),
    path(f"{_ONE}/operations", view_changes.Operations.as_view()),
    path(f"{_ONE}/batches", view_changes.Batches.as_view()),
    path(f"{_ONE}/rollback", view_changes.RollbackTo.as_view()),
    path(f"{_ONE}/restore", view_changes.RestoreRevision.as_view()),
    path(f"{_ONE}/diff", view_changes.Diff.as_view()),
    path(f"{_ONE}/export", views.Export.as_view()),
    path("recalls", recall_views.RecallSums.as_view()),
    path("prices", price_views.PricesOfWorkspace.as_view()),
    path("processor-configs/validate", views.ValidateConfig.as_view()),
    path("processor-configs/migrate", views.MigrateConfig.as_view()),
]
