"""A research note: two branches that meet, and an editor who may send it back."""

from typing import Final

from pydantic import JsonValue

RESEARCH: Final[dict[str, JsonValue]] = {
    "name": "Research note",
    "nodes": [
        {"id": "start", "type": "start", "name": "A topic"},
        {
            "id": "outline",
            "type": "llm",
            "name": "Outline",
            "config": {"template": "Split the topic into questions."},
        },
        {
            "id": "search",
            "type": "tool",
            "name": "Search the library",
            "context_type": "pass_through",
        },
        {
            "id": "figures",
            "type": "tool",
            "name": "Collect figures",
            "context_type": "pass_through",
        },
        {
            "id": "join",
            "type": "merge",
            "name": "Bring together",
            "description": "Waits for both branches; on a clash the later edge wins.",
        },
        {
            "id": "write",
            "type": "llm",
            "name": "Write",
            "context_type": "filter_out",
            "context_filter": {
                "rules": [
                    {"type": "exclude", "pattern": "scratch.*"},
                    {
                        "type": "transform",
                        "pattern": "source.*",
                        "transform": "strip",
                    },
                ],
                "default_behavior": "pass",
                "messages": [
                    {
                        "operation": "filter",
                        "filter": {"roles": ["system", "user", "assistant"]},
                        "pairing": "drop",
                    }
                ],
            },
            "config": {"template": "Write one page with a source for every claim."},
        },
        {
            "id": "check",
            "type": "user_interaction",
            "name": "Editor",
            "context_type": "pass_through",
            "config": {
                "pause": "before",
                "pause_reason": "Good enough to publish? Else set verdict to rework and approve.",
            },
        },
        {"id": "publish", "type": "end", "name": "Publish"},
    ],
    "edges": [
        {"id": "topic", "type": "sequence", "from": "start", "to": "outline"},
        {"id": "texts", "type": "sequence", "from": "outline", "to": "search", "weight": 2},
        {"id": "numbers", "type": "sequence", "from": "outline", "to": "figures", "weight": 1},
        {
            "id": "found",
            "type": "sequence",
            "from": "search",
            "to": "join",
            "context_filter": {"type": "selective", "include_patterns": ["source.*", "search*"]},
        },
        {
            "id": "counted",
            "type": "sequence",
            "from": "figures",
            "to": "join",
            "context_filter": {"type": "selective", "include_patterns": ["figure.*", "figures*"]},
        },
        {"id": "material", "type": "sequence", "from": "join", "to": "write"},
        {"id": "note", "type": "sequence", "from": "write", "to": "check"},
        {
            "id": "rework",
            "type": "conditional",
            "from": "check",
            "to": "write",
            "condition": "context.verdict === 'rework'",
        },
        {
            "id": "good",
            "type": "sequence",
            "from": "check",
            "to": "publish",
            "condition": "context.verdict !== 'rework'",
        },
    ],
    "reducers": {"source.*": "overwrite", "figure.*": "max", "verdict": "overwrite"},
}
