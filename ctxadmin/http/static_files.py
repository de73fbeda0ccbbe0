"""Static files: compressed for who asks, and kept by browsers until they change.

The address of a file names the version of its content, so that a browser keeps it for a year and
still has the new one with the first page after an upgrade. Files are not collected for that: they
are read where they are. Unlike pages they hold nothing secret, and may be compressed.
"""

import zlib
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from whitenoise.middleware import WhiteNoiseMiddleware

from ctxadmin.http.requests.compression import LEAST_BYTES, accepts_gzip

VERSION: Final = "v"  # the parameter of an address
_YEAR: Final = 365 * 24 * 3600
_GZIP: Final = 31  # a gzip frame, without name and time
_LEVEL: Final = 9  # once for each file
_TEXTS: Final = frozenset({"text/css", "text/javascript", "image/svg+xml"})


class VersionedStorage(StaticFilesStorage):
    """Gives static files addresses with the version of their content: ``.../app.css?v=1f0c…``."""

    def url(self, name: str | None) -> str:
        """Returns the address of a file; without a version if there is no such file."""
        address = super().url(name)
        version = version_of(name) if name and not settings.DEBUG else ""
        return f"{address}?{VERSION}={version}" if version else address


@lru_cache(maxsize=1024)
def version_of(name: str) -> str:
    """Returns a digest of a static file as it was when this process first asked, "" for none."""
    path = finders.find(name)
    return blake2b(Path(path).read_bytes(), digest_size=5).hexdigest() if path else ""


class StaticFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]  # it has no types
    """Answers requests for static files."""

    def serve(self, static_file: Any, request: HttpRequest) -> HttpResponseBase:
        """Returns the response for a file, compressed if that is asked for and worth it."""
        response: FileResponse = WhiteNoiseMiddleware.serve(static_file, request)
        if self._is_current(request):
            response.headers["Cache-Control"] = f"max-age={_YEAR}, public, immutable"
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        if response.status_code != 200 or kind not in _TEXTS:
            return response
        patch_vary_headers(response, ["Accept-Encoding"])
        asked = request.headers.get("Accept-Encoding", "").encode("latin-1", "replace")
        if request.method != "GET" or not accepts_gzip(asked):
            return response
        return _compressed(response)

    def _is_current(self, request: HttpRequest) -> bool:
        """Returns True if the address names the version that this process has.

        While servers are upgraded one by one, one may be asked for the version of another.
        """
        asked = request.GET.get(VERSION, "")
        name = request.path_info.removeprefix(self.static_prefix)
        return bool(asked) and asked == version_of(name)


def _compressed(response: FileResponse) -> HttpResponseBase:
    content = b"".join(response)
    response.close()
    headers = {**response.headers}
    if len(content) > LEAST_BYTES:
        content = _gzipped(content)
        headers["Content-Encoding"] = "gzip"
    headers["Content-Length"] = str(len(content))
    return HttpResponse(content, headers=headers)


@lru_cache(maxsize=256)
def _gzipped(content: bytes) -> bytes:
    made = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    return made.compress(content) + made.flush()
