"""The ASGI application: what observes, in front of Django on a pool of threads."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ctxadmin.settings")
django.setup(set_prefix=False)

from django.conf import settings  # noqa: E402 - what follows needs Django's set-up

from ctxadmin.observe.application import Observed  # noqa: E402
from ctxadmin.observe.logs import log_ends_of_threads  # noqa: E402
from ctxadmin.observe.traces import start_tracing  # noqa: E402
from ctxadmin.web.handler import ThreadedHandler  # noqa: E402

log_ends_of_threads()
start_tracing()
application = Observed(ThreadedHandler(settings.THREADS))
