"""The paths of the settings pages."""

from django.urls import URLPattern, URLResolver, path

from ctxadmin.accounts.pages import tokens

urlpatterns: list[URLPattern | URLResolver] = [
    path("settings/", tokens.settings, name="settings"),
    path("settings/tokens/new/", tokens.new_token, name="settings-new-token"),
    path("settings/tokens/<str:token_id>/revoke/", tokens.revoke, name="settings-revoke-token"),
]
