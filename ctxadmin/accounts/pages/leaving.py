"""Signing out; the address that the button posts to leads on also when it is opened."""

from django.contrib.auth.views import LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect


class SignOut(LogoutView):
    """Ends the session on POST only, so that no link of another site can do it."""

    http_method_names = ["get", "head", "post", "options"]

    def get(self, request: HttpRequest) -> HttpResponse:
        return redirect("/")
