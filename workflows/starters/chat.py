"""A plain chat: a model answers, a person speaks, until one of them is done."""

from typing import Final

from pydantic import JsonValue

CHAT: Final[dict[str, JsonValue]] = {
    "name": "Chat",
    "nodes": [
        {"id": "start", "type": "start", "name": "The first message"},
        {
            "id": "answer",
            "type": "llm",
            "name": "Answer",
            "description": "Sees the whole talk; over 60,000 tokens the oldest part goes.",
            "context_filter": {
                "rules": [],
                "default_behavior": "pass",
                "messages": [
                    {
                        "operation": "budget",
                        "budget": {"max_tokens": 60_000, "target_tokens": 40_000},
                        "pairing": "keep",
                    }
                ],
            },
            "config": {"template": "Answer in a few sentences. Ask if something is not clear."},
        },
        {
            "id": "listen",
            "type": "user_interaction",
            "name": "Listen",
            "description": "Waits until the person has answered.",
            "config": {"pause": "before", "pause_reason": "Add what the person says, and go on."},
        },
        {"id": "end", "type": "end", "name": "Done"},
    ],
    "edges": [
        {"id": "begin", "type": "sequence", "from": "start", "to": "answer"},
        {"id": "said", "type": "sequence", "from": "answer", "to": "listen"},
        {
            "id": "more",
            "type": "sequence",
            "from": "listen",
            "to": "answer",
            "condition": "context.done !== true",
        },
        {
            "id": "bye",
            "type": "conditional",
            "from": "listen",
            "to": "end",
            "condition": "context.done === true",
        },
    ],
    "reducers": {"done": "overwrite"},
}
