"""The ASGI application: what observes and body limits in front of Django."""

import os
import warnings

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ctxadmin.settings")

# WhiteNoise reads its files synchronously; Django does that in a thread and says so each time.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous")

_django = get_asgi_application()

from ctxadmin.observe.application import Observed  # noqa: E402 - needs Django's set-up
from ctxadmin.web.middleware import BodyLimit  # noqa: E402

application = Observed(BodyLimit(_django))
