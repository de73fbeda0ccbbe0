"""The ASGI application: body limits in front of Django."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ctxadmin.settings")

_django = get_asgi_application()

from ctxadmin.web.middleware import BodyLimit  # noqa: E402 - needs Django's set-up

application = BodyLimit(_django)
