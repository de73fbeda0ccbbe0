"""The sign-in page: Django's view with texts of its own."""

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.utils.translation import gettext_lazy as _


class SignInForm(AuthenticationForm):
    """Username and password; the error does not say which of the two is wrong."""

    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": _("Incorrect username or password."),
    }


class SignIn(LoginView):
    """Signs a person in; after too many failures the sign-in limits answer instead."""

    authentication_form = SignInForm
