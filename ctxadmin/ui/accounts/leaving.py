"""Signing out; the address of the button also redirects when it is opened."""

from django.contrib.auth.views import LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from ctxadmin.accounts.rights_changes import rights_changed
from ctxadmin.accounts.sessions import stored_key


class SignOut(LogoutView):
    """Ends the session on POST only, so that no link of another site can do it."""

    http_method_names = ["get", "head", "post", "options"]

    def get(self, request: HttpRequest) -> HttpResponse:
        return redirect("/")

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        """Signs out; open pages in other tabs are notified at once."""
        key = request.session.session_key
        answer: HttpResponse = super().post(request, *args, **kwargs)
        if key:
            rights_changed("session", stored_key(key))
        return answer
