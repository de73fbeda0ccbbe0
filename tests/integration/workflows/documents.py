"""Workflow documents of the tests."""

from typing import Any


def node(node_id: str, kind: str = "task", **fields: Any) -> dict[str, Any]:
    return {"id": node_id, "type": kind, **fields}


def edge(edge_id: str, source: str, target: str, kind: str = "sequence", **fields: Any) -> Any:
    return {"id": edge_id, "type": kind, "from": source, "to": target, **fields}


def document(*nodes: Any, edges: Any = (), name: str = "A flow", **fields: Any) -> dict[str, Any]:
    """A document that has no problems, unless other nodes are given."""
    if not nodes:
        nodes = (node("begin", "start"), node("ask", "llm"))
        edges = [edge("go", "begin", "ask")]
    return {"name": name, "nodes": list(nodes), "edges": list(edges), **fields}
