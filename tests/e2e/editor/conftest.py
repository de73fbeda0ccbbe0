"""Workflows of a test's own."""

import re
from uuid import uuid4

import httpx
import pytest
from pydantic import JsonValue

from tests.e2e.editor.scenes import EDGES, NODES, Make


@pytest.fixture
def made(api: httpx.Client, request: pytest.FixtureRequest) -> Make:
    """Make a workflow of one's own, with two nodes and an edge unless others are given."""

    def make(nodes: list[JsonValue] = NODES, edges: list[JsonValue] = EDGES) -> str:
        name = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower())[-42:].strip("-")
        slug = f"editor-{name}-{uuid4().hex[:6]}"
        api.post("workflows", json={"slug": slug, "name": "Drawn"}).raise_for_status()
        document = {"name": "Drawn", "nodes": nodes, "edges": edges}
        put = {"document": document, "expected_version": 0}
        api.put(f"workflows/{slug}/draft", json=put).raise_for_status()
        return slug

    return make
