"""Serves the tools over stdio: ``python -m ctxadmin_client.mcp``."""

import os
import sys
from typing import Final

from ctxadmin_client import AsyncClient, Retries
from ctxadmin_client.mcp.server import build_server

_RETRY_SECONDS: Final = 20.0  # the caller of a tool waits for its answer


def main() -> None:
    """Serves until the input ends; exits with a message if an environment variable is missing."""
    url, token = os.environ.get("CTXADMIN_URL"), os.environ.get("CTXADMIN_TOKEN")
    if not url or not token:
        sys.exit("Set CTXADMIN_URL and CTXADMIN_TOKEN.")
    try:
        client = AsyncClient(url, token, retries=Retries(_RETRY_SECONDS))
    except ValueError as error:
        sys.exit(f"CTXADMIN_URL or CTXADMIN_TOKEN is wrong. {error}")
    build_server(client).run()


if __name__ == "__main__":
    main()
