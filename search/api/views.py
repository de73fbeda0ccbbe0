"""The endpoint of searches."""

from typing import Final, Self

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from ctxadmin.http.described import NAME, PAGE, Answer, FromZero, ListOf, Parameter, Time, described
from ctxadmin.http.endpoints.endpoint import Endpoint
from ctxadmin.http.endpoints.pagination import PageRequest
from ctxadmin.lib import clock
from search import queries
from search.domain.query import FILTERS, LONGEST, ROLES, STATUSES, HitKind, read_query
from search.hits import Hit

_DEFAULT: Final = 20
_QUERY: Final = (
    Parameter(
        "q",
        'Words that a text must all have; `"two words"` must follow each other, `refu*` begins a'
        " word. Filters can stand in it: `tool:refund`.",
        limits={"maxLength": LONGEST},
    ),
    Parameter(
        "in",
        f"Kinds of texts, with commas between: {', '.join(HitKind)}.",
        limits={"maxLength": LONGEST},
    ),
    Parameter("status", "Only conversations with this status.", limits={"enum": [*STATUSES]}),
    Parameter("workflow", "Only conversations of this workflow, by its slug.", limits=NAME),
    Parameter(
        "role",
        "Only messages of this role; `developer` is a `system` message.",
        limits={"enum": [*ROLES]},
    ),
    Parameter("tool", "Only calls and results of this tool.", limits={"maxLength": LONGEST}),
    Parameter(
        "since",
        "Only texts since then: `24h`, `7d`, `2w`, a day or a time (ISO 8601).",
        limits={"maxLength": LONGEST},
    ),
    Parameter("archived", "Whether to search archived conversations instead.", bool),
    *(each for each in PAGE if each.name != "limit"),
    Parameter(
        "limit",
        "Number of hits on a page.",
        int,
        limits={"minimum": 1, "maximum": queries.MOST, "default": _DEFAULT},
    ),
)


class MarkAnswer(Answer):
    """A stretch of a snippet that was searched for, counted in characters from 0."""

    start: FromZero = Field(description="First character.", examples=[12])
    stop: FromZero = Field(description="The character after the last.", examples=[18])


class SearchHitAnswer(Answer):
    """A text with what was searched for, and its place; fields of other kinds are null."""

    kind: HitKind = Field(description="What it was found in.", examples=["message"])
    conversation: str | None = Field(
        description="Id of the conversation; null for a workflow.", examples=["support-42"]
    )
    title: str | None = Field(
        description="Title of the conversation, or name of the workflow.", examples=["Refund"]
    )
    status: str | None = Field(description="Status of the conversation.", examples=["PAUSED"])
    workflow: str | None = Field(
        description="Slug of the workflow, or of that of the conversation.", examples=["support"]
    )
    index: FromZero | None = Field(
        description="Log index of the message, also of one with a comment.", examples=[3]
    )
    role: str | None = Field(description="Role of the message.", examples=["user"])
    visible: bool | None = Field(description="Whether the message is in the current view.")
    execution: str | None = Field(
        description="Id of the execution.", examples=["exec_7q2m4x8k1n5p9r3t"]
    )
    version: FromZero | None = Field(
        description="Version of the state key, the reason or the comment.", examples=[13]
    )
    key: str | None = Field(description="Name of the state key.", examples=["draft_output"])
    batch: FromZero | None = Field(description="Number of the batch with the reason.", examples=[2])
    author: str | None = Field(description="Who wrote it.", examples=["person:rita"])
    snippet: str = Field(
        description="The text around what was searched for.", examples=["… got a refund for …"]
    )
    marks: list[MarkAnswer] = Field(description="Where in the snippet the words are.")
    at: Time = Field(description="When it was written (ISO 8601, UTC).")

    @classmethod
    def of(cls, hit: Hit) -> Self:
        return cls(
            kind=hit.kind,
            conversation=hit.conversation or None,
            title=hit.title or None,
            status=hit.status or None,
            workflow=hit.workflow or None,
            index=hit.index,
            role=hit.role or None,
            visible=hit.visible,
            execution=hit.execution or None,
            version=hit.version,
            key=hit.key or None,
            batch=hit.batch,
            author=hit.author or None,
            snippet=hit.passage.plain(),
            marks=[MarkAnswer(start=start, stop=stop) for start, stop in hit.passage.marks()],
            at=clock.iso(hit.at),
        )


class SearchAnswer(ListOf[SearchHitAnswer]):
    """A page of hits, latest first.

    A page looks at so many texts only: with filters that leave few it can have fewer hits than
    asked for, even none, and a `next`.
    """

    behind: FromZero = Field(
        description="Number of changes that cannot be found yet; 0 if all can.", examples=[0]
    )


class Search(Endpoint):
    @described("Search", answer=SearchAnswer, query=_QUERY)
    def get(self, request: Request) -> Response:
        """Searches messages, titles, state keys and their values, reasons, comments and workflows.

        Case, accents and widths make no difference; Chinese, Japanese and Korean are found by any
        of their characters. Every hit is read again when it is shown. Hidden messages are found,
        too; of executions only the current one. Workflows come before all others, on the first
        page. Of a text longer than 16,000 characters only the beginning is searched.
        """
        given = request.query_params
        filters = {name: given.get(name, "") for name in FILTERS}
        archived = self.query_flag("archived")
        query = read_query(given.get("q", ""), filters, clock.now(), archived=archived)
        asked = given.copy()
        asked.setdefault("limit", str(_DEFAULT))
        page = queries.search(self.actor, query, PageRequest.of(asked, queries.MOST))
        shown = [SearchHitAnswer.of(hit) for hit in page.hits]
        return SearchAnswer(results=shown, next=page.next, behind=page.behind).response()
