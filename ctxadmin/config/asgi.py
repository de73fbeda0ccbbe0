"""The ASGI application: telemetry around Django on a pool of threads."""

import gc
import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ctxadmin.config.settings")
django.setup(set_prefix=False)

from django.conf import settings  # noqa: E402 - what follows needs Django's set-up
from django.urls import get_resolver  # noqa: E402

from bulk.runner import RUNNER as BULK_JOBS  # noqa: E402
from checkpoints.api import fast_path_writes as checkpoints  # noqa: E402
from conversations.api import fast_path_writes as conversations  # noqa: E402
from ctxadmin.background.runner import resume_jobs_on_first_request  # noqa: E402
from ctxadmin.http.requests.fair_queue import LONG  # noqa: E402
from ctxadmin.http.requests.fast_path import FastPath  # noqa: E402
from ctxadmin.http.requests.handler import ThreadedHandler  # noqa: E402
from ctxadmin.realtime.routing import with_sockets  # noqa: E402
from ctxadmin.telemetry.application import Observed  # noqa: E402
from ctxadmin.telemetry.logs import log_ends_of_threads  # noqa: E402
from ctxadmin.telemetry.traces import start_tracing  # noqa: E402
from workflows.backtests.runner import RUNNER as BACKTESTS  # noqa: E402

log_ends_of_threads()
start_tracing()
hot = [*conversations.CALLS, *checkpoints.CALLS]
fast_path = (
    FastPath(hot, conversations.write_calls, settings.TOGETHER) if settings.TOGETHER > 1 else None
)
# A database of its own process is computing, too; one behind a socket is waited for.
turn_seconds = LONG if settings.EMBEDDED else None
handler = ThreadedHandler(settings.THREADS, fast_path, turn_seconds)
application = Observed(resume_jobs_on_first_request(with_sockets(handler), [BULK_JOBS, BACKTESTS]))

# What every request needs is loaded before the first, and then left alone by the garbage
# collector, whose full passes made the slowest requests: p99 of a prototype was 60 to 118 ms
# before, 8 to 10 after.
get_resolver().url_patterns  # noqa: B018 - imports all views
gc.collect()
gc.freeze()
# What is left are the cycles of pages, 20 to 50 objects each. Calls made as many requests a second
# with a first threshold of 700, 2,000, 10,000 and 50,000; the last let cycles pile up for hours.
gc.set_threshold(2_000, 10, 10)
