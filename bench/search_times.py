"""Measures searches over very many messages: a part of ``bench.database_costs``."""

import os
import random
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from django.db import connection
from django.test.utils import CaptureQueriesContext

from bench.table import Row, times_of

if TYPE_CHECKING:
    from django.db.models import Model

    from bench.database_costs import Engine
    from ctxadmin.identity.actor import Actor

MESSAGES: Final = 100_000
SIZE: Final = "CTXADMIN_BENCH_MESSAGES"  # messages that the worker creates
GOAL_MS: Final = 1_000.0
_OF_ONE: Final = 1_000  # messages of a conversation
_WORDS: Final = 50_000
_LENGTH: Final = 45  # words of a message, about 300 characters
_CHINESE: Final = 20  # one of so many messages is Chinese
_RARE: Final = 10_000  # one of so many messages has the rare word
_ROUNDS: Final = 5
# Of the texts below, nearly all have "the" and 0.4 % have w1000.
QUERIES: Final = {
    "a word in every message": "the",
    "three frequent words": "the w3 w10",
    "a word in 0.4 % of the messages": "w1000",
    "a rare word": "needle",
    "a rare word with a frequent one": "needle the",
    "a phrase of two frequent words": '"w20 w30"',
    "a phrase that none has": '"w3 needle w3"',
    "a Chinese phrase of two": "退款",
    "a Chinese phrase of four": "要求退款",
    "the beginning of a word": "needl*",
    "a word that none has": "nowhere",
    "a role without words": "role:user",
    "a word and a status that none has": "w1000 status:paused",
}

# Of these also the page of results: its conversations, and the counts of its tabs.
OF_PAGE: Final = ("a word in every message", "a rare word", "a phrase of two frequent words")


def rows(engine: "Engine") -> list[Row]:
    """Measures building the index, its size, and the first page of each search."""
    from ctxadmin.storage.database.command_timeouts import command_timeouts
    from search import indexer

    count = int(os.environ.get(SIZE, MESSAGES))
    _fill(engine, count)
    started = time.perf_counter()
    with command_timeouts():  # as the command that builds it
        indexer.run_until_done()
    taken = time.perf_counter() - started
    found = [Row(f"index of {count:,} messages: texts per second", count / taken, "")]
    calls: dict[str, Callable[[], object]] = {
        name: partial(_search, engine.actor, text) for name, text in QUERIES.items()
    }
    for name in OF_PAGE:
        calls[f"{name}, by conversation as the page has it"] = partial(
            _search_page, engine.actor, QUERIES[name]
        )
    times_of(calls, 1)
    for name, times in times_of(calls, _ROUNDS).items():
        shown = f"search of {count:,} messages for {name}"
        found.append(Row(shown, statistics.median(times) * 1e3, "ms", goal=GOAL_MS))
    with CaptureQueriesContext(connection) as asked:
        calls["a rare word"]()
    found.append(Row("search for a rare word, queries", len(asked), ""))
    return found


def _search(actor: "Actor", text: str) -> int:
    from ctxadmin.http.endpoints.pagination import PageRequest
    from ctxadmin.lib import clock
    from search.domain.query import read_query
    from search.queries import search

    page = search(actor, read_query(text, {}, clock.now()), PageRequest(limit=25))
    return len(page.hits)


def _search_page(actor: "Actor", text: str) -> int:
    from ctxadmin.http.endpoints.pagination import PageRequest
    from ctxadmin.lib import clock
    from search.conversation_hits import search_conversations
    from search.domain.query import read_query
    from search.latest_texts import latest_texts

    query = read_query(text, {}, clock.now())
    latest = latest_texts(actor, query)
    page = search_conversations(actor, query, PageRequest(limit=25), latest)
    return len(page.hits) + latest.counts(query.archived).total


def _fill(engine: "Engine", count: int) -> None:
    """Creates conversations like an import: one by the services, the others as copies."""
    from conversations.models import Conversation, Message, Revision

    name = engine.conversation("searched", 2)
    head = Conversation.objects.get(public_id=name)
    revision = Revision.objects.get(conversation=head.key, number=head.current_revision)
    message = Message.objects.filter(conversation=head.key).order_by("index")[0]
    texts = _texts()
    for number in range(count // _OF_ONE):
        key = 1_000 + number
        values = {
            **_values(head),
            "key": key,
            "public_id": f"s-{number}",
            "title": "",
            "log_count": _OF_ONE,
        }
        Conversation.objects.create(**values)
        Revision.objects.create(
            **{**_values(revision), "conversation": key, "sum": None, "grown_sum": None}
        )
        row = {**_values(message), "conversation": key, "sum": None, "message_id": None}
        Message.objects.bulk_create(
            Message(**{**row, "index": at, "role": ("user", "assistant")[at % 2], "body": body})
            for at, body in zip(range(_OF_ONE), texts, strict=False)
        )


def _values(row: "Model") -> dict[str, object]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def _texts() -> Iterator[bytes]:
    """Yields bodies of messages without end, with word frequencies of a natural language."""
    rng = random.Random(20261125)
    weights = list(accumulate(1 / (place + 1) for place in range(_WORDS)))
    words = ["the", *(f"w{place}" for place in range(1, _WORDS))]
    signs = [chr(0x4E00 + place) for place in range(2_000)]
    number = 0
    while True:
        number += 1
        if number % _CHINESE == 0:
            text = "".join(rng.choices(signs, k=60)) + ("客户要求退款" if number % 400 == 0 else "")
        else:
            text = " ".join(rng.choices(words, cum_weights=weights, k=_LENGTH))
            text += " needle" if number % _RARE == 1 else ""
        yield f'{{"role":"user","content":"{text}"}}'.encode()
