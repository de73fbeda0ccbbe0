"""Customer support: a loop of tool calls, compaction, and a person who reads the answer."""

from typing import Final

from pydantic import JsonValue

SUPPORT: Final[dict[str, JsonValue]] = {
    "name": "Customer support",
    "nodes": [
        {"id": "start", "type": "start", "name": "A question arrives"},
        {
            "id": "classify",
            "type": "llm",
            "name": "Classify",
            "description": "Decides topic and priority from what the customer said, nothing else.",
            "context_filter": {
                "rules": [
                    {"type": "include", "pattern": "prompt.*"},
                    {"type": "include", "pattern": "system", "target": "messages"},
                    {"type": "include", "pattern": "user", "target": "messages"},
                ],
                "default_behavior": "block",
                "messages": [
                    {
                        "operation": "budget",
                        "budget": {"max_tokens": 8_000, "target_tokens": 4_000},
                        "pairing": "keep",
                    }
                ],
            },
            "config": {"template": "Name the topic and the priority of the customer's question."},
        },
        {
            "id": "plan",
            "type": "llm",
            "name": "Plan the look-up",
            "description": "Asks for missing facts by tool calls; old results are emptied late.",
            "context_type": "pass_through",
            "context_filter": {
                "rules": [{"type": "exclude", "pattern": "draft_*"}],
                "default_behavior": "pass",
                "messages": [
                    {
                        "operation": "budget",
                        "budget": {
                            "max_tokens": 30_000,
                            "target_tokens": 15_000,
                            "drop": "tool_results",
                        },
                        "pairing": "keep",
                    }
                ],
            },
            "config": {"template": "Ask for the facts that you need. Make one call at a time."},
        },
        {
            "id": "tools",
            "type": "tool",
            "name": "Look up",
            "description": "Runs the tool calls of the last message.",
            "config": {"timeout": 20},
        },
        {
            "id": "enough",
            "type": "decision",
            "name": "Enough facts?",
            "description": "Repeats until nothing is missing.",
        },
        {
            "id": "compact",
            "type": "context_processor",
            "name": "Cut to a budget",
            "description": "Over 20,000 tokens the oldest messages go; the facts are in the state.",
            "config": {
                "operation": "budget",
                "budget": {"max_tokens": 20_000, "target_tokens": 8_000},
                "pairing": "keep",
            },
        },
        {
            "id": "draft",
            "type": "llm",
            "name": "Draft the answer",
            "description": "Sees facts and policy, but no internal notes.",
            "context_type": "filter_in",
            "context_filter": {
                "rules": [
                    {"type": "include", "pattern": "fact.*"},
                    {"type": "include", "pattern": "prompt.*"},
                    {"type": "include", "pattern": "priority"},
                    {"type": "exclude", "pattern": "*.internal"},
                    {"type": "exclude", "pattern": "tools", "target": "history"},
                ],
                "default_behavior": "block",
            },
            "config": {"template": "Write a short, friendly answer. Promise nothing."},
        },
        {
            "id": "review",
            "type": "human_relay",
            "name": "A person reads it",
            "description": "Nothing is sent unread.",
            "config": {
                "pause": "before",
                "pause_reason": "Read the draft. Change it if you must, then approve.",
            },
        },
        {
            "id": "send",
            "type": "tool",
            "name": "Send",
            "context_type": "filter_in",
            "context_filter": {
                "rules": [
                    {"type": "include", "pattern": "tool.*"},
                    {"type": "include", "pattern": "draft_output"},
                ],
                "default_behavior": "block",
            },
        },
        {
            "id": "apologise",
            "type": "llm",
            "name": "Apologise",
            "description": "Reached when a look-up fails.",
            "context_type": "pass_through",
            "config": {"template": "Say sorry and promise to call back."},
        },
        {"id": "end", "type": "end", "name": "Done"},
    ],
    "edges": [
        {"id": "asked", "type": "sequence", "from": "start", "to": "classify"},
        {"id": "classified", "type": "sequence", "from": "classify", "to": "plan"},
        {"id": "calls", "type": "sequence", "from": "plan", "to": "tools"},
        {
            "id": "facts",
            "type": "sequence",
            "from": "tools",
            "to": "enough",
            "context_filter": {"type": "selective", "exclude_patterns": ["scratch.*"]},
        },
        {
            "id": "again",
            "type": "conditional",
            "from": "enough",
            "to": "plan",
            "condition": "context.missing.length > 0",
        },
        {
            "id": "ready",
            "type": "sequence",
            "from": "enough",
            "to": "compact",
            "condition": "!(context.missing.length > 0)",
        },
        {"id": "compacted", "type": "sequence", "from": "compact", "to": "draft"},
        {
            "id": "drafted",
            "type": "sequence",
            "from": "draft",
            "to": "review",
            "context_filter": {
                "type": "selective",
                "include_patterns": ["draft_output", "fact.*", "priority", "draft"],
                "messages": [
                    {
                        "operation": "budget",
                        "budget": {"max_tokens": 8_000, "target_tokens": 4_000},
                        "pairing": "keep",
                    }
                ],
            },
        },
        {"id": "approved", "type": "sequence", "from": "review", "to": "send"},
        {"id": "sent", "type": "sequence", "from": "send", "to": "end"},
        {"id": "failed", "type": "error", "from": "tools", "to": "apologise"},
        {"id": "apologised", "type": "sequence", "from": "apologise", "to": "end"},
    ],
    "reducers": {
        "fact.*": "merge",
        "look_ups": "increment",
        "missing": "overwrite",
        "notes": "append",
    },
}
