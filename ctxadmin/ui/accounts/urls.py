"""The paths of the settings pages, and of one's own account."""

from django.urls import URLPattern, URLResolver, path

from ctxadmin.ui.accounts import people, sessions, tokens
from ctxadmin.ui.accounts.account import account

_ONE = "settings/people/<str:name>/"

urlpatterns: list[URLPattern | URLResolver] = [
    path("account/", account, name="account"),
    path("account/sessions/others/end/", sessions.end_other_sessions, name="end-other-sessions"),
    path("account/sessions/<str:session>/end/", sessions.end_session, name="end-session"),
    path("settings/", tokens.settings, name="settings"),
    path("settings/tokens/new/", tokens.new_token, name="settings-new-token"),
    path("settings/tokens/<str:token_id>/revoke/", tokens.revoke, name="settings-revoke-token"),
    path("settings/people/", people.people, name="settings-people"),
    path("settings/people/+new/", people.new_person, name="settings-new-person"),
    path(_ONE, people.person, name="settings-person"),
    path(f"{_ONE}password/", people.renew, name="settings-person-password"),
    path(f"{_ONE}lock/", people.lock, name="settings-person-lock"),
    path(f"{_ONE}unlock/", people.unlock, name="settings-person-unlock"),
]
