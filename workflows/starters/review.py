"""A review loop: a model writes, another one checks, a person has the last word."""

from typing import Final

from pydantic import JsonValue

REVIEW: Final[dict[str, JsonValue]] = {
    "name": "Review loop",
    "nodes": [
        {"id": "start", "type": "start", "name": "A task"},
        {
            "id": "write",
            "type": "llm",
            "name": "Write",
            "description": "Sees the task and the remarks of the last round, not its own thoughts.",
            "context_type": "filter_out",
            "context_filter": {
                "rules": [{"type": "exclude", "pattern": "scratch.*"}],
                "default_behavior": "pass",
            },
            "config": {"template": "Write what the task asks for. Take the remarks in."},
        },
        {
            "id": "check",
            "type": "llm",
            "name": "Check",
            "description": "Reads the text alone, without knowing how it came about.",
            "context_type": "filter_in",
            "context_filter": {
                "rules": [
                    {"type": "include", "pattern": "write_output"},
                    {"type": "include", "pattern": "prompt.*"},
                    {"type": "include", "pattern": "system", "target": "messages"},
                ],
                "default_behavior": "block",
            },
            "config": {"template": "Set verdict to good or rework, and say why in remarks."},
        },
        {
            "id": "approve",
            "type": "human_relay",
            "name": "A person decides",
            "description": "Approve it, or set verdict to rework and let it go on.",
            "context_type": "filter_in",
            "context_filter": {
                "rules": [
                    {"type": "include", "pattern": "write_output"},
                    {"type": "include", "pattern": "remarks"},
                    {"type": "include", "pattern": "verdict"},
                ],
                "default_behavior": "block",
            },
            "config": {
                "pause": "before",
                "pause_reason": "Read the text and the remarks. Is it good enough?",
            },
        },
        {"id": "end", "type": "end", "name": "Accepted"},
    ],
    "edges": [
        {"id": "task", "type": "sequence", "from": "start", "to": "write"},
        {"id": "written", "type": "sequence", "from": "write", "to": "check"},
        {
            "id": "rework",
            "type": "conditional",
            "from": "check",
            "to": "write",
            "condition": "context.verdict === 'rework' && context.rounds < 3",
            "context_filter": {
                "type": "selective",
                "include_patterns": ["write_output", "remarks", "prompt.*", "rounds"],
            },
        },
        {
            "id": "checked",
            "type": "sequence",
            "from": "check",
            "to": "approve",
            "condition": "!(context.verdict === 'rework' && context.rounds < 3)",
        },
        {
            "id": "back",
            "type": "conditional",
            "from": "approve",
            "to": "write",
            "condition": "context.verdict === 'rework'",
        },
        {
            "id": "good",
            "type": "sequence",
            "from": "approve",
            "to": "end",
            "condition": "context.verdict !== 'rework'",
        },
    ],
    "reducers": {"rounds": "increment", "remarks": "append", "verdict": "overwrite"},
}
