"""The catalogue of components as a page, with believable values; only where DEBUG is on."""

from datetime import timedelta
from typing import Annotated, Final, Literal

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from pydantic import Field, JsonValue

from ctxadmin.lib import clock
from ctxadmin.lib.contract import Contract
from ctxadmin.ui.components import STATUSES, Confirm, Crumb, DiffRow, Part, Tab
from ctxadmin.ui.forms import ContractForm, FieldHint, ShownWhen

_HOSTILE: Final = '<img src=x onerror=alert(1)> "user\u202etxt.exe" zero\u200bwidth \x1b[31m'
_LONG: Final = "The customer asks to move the flight to Friday and to keep the seat.\n" * 30
_STATE: Final[JsonValue] = {
    "llm.model": "small-2",
    "retries": 2,
    "approved": None,
    "is_final": False,
    "user": {"name": "Mia Li", "id": "mia_li_3668", "flights": ["HAT110", "HAT172", "HAT039"]},
    "note": _HOSTILE,
    "transcript": _LONG,
    "empty": {},
}
_MARKDOWN: Final = """## Refund rules

A ticket **can** be refunded within *24 hours* of booking. See [the policy](https://a.example/p).

- basic economy: only with insurance
- business: always

| cabin | fee |
|---|---|
| economy | 50 |

```
refund(reservation="ZFA04Y")
```
"""


class Rule(Contract):
    type: Literal["include", "exclude", "transform"]
    pattern: Annotated[str, Field(min_length=1)]
    target: Literal["variables", "history", "metadata", "messages"] = "variables"
    transform: str | None = None
    condition: str | None = None


class Window(Contract):
    keep_first: Annotated[int, Field(ge=0, le=1000)] | None = None
    keep_last: Annotated[int, Field(ge=0, le=1000)] | None = None


class Example(Contract):
    """Every kind of member that a form can ask for."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    default_behavior: Literal["pass", "block"] | None = None
    priority: Annotated[int, Field(ge=0, le=100)] = 0
    protect_tools: bool = True
    urgent: bool | None = None
    roles: list[Literal["system", "user", "assistant", "tool"]] = []
    keywords: list[str] = []
    operation: Literal["none", "window"] = "none"
    window: Window | None = None
    rules: Annotated[tuple[Rule, ...], Field(strict=False, max_length=20)] = ()
    metadata: dict[str, JsonValue] = {}


class ExampleForm(ContractForm[Example]):
    contract = Example
    hints = {
        "name": FieldHint(help="Shown in lists."),
        "urgent": FieldHint(empty_label="As the workflow says"),
        "keywords": FieldHint(help="One a line."),
        "window": FieldHint(shown_when=ShownWhen.is_("operation", "window")),
        "rules": FieldHint(add_label="Add a rule", row_label="Rule"),
        "rules.pattern": FieldHint(code=True, placeholder="llm.*"),
        "rules.condition": FieldHint(code=True),
        "rules.transform": FieldHint(
            choices=[("upper", "Upper case"), ("mask", "Mask")],
            shown_when=ShownWhen.is_("type", "transform"),
        ),
    }


_EXAMPLE: Final[JsonValue] = {
    "name": "What the summary node sees",
    "roles": ["user", "assistant"],
    "keywords": ["refund", "退款"],
    "rules": [
        {"type": "include", "pattern": "llm.*"},
        {"type": "exclude", "pattern": "*.secret", "condition": 'context.env === "prod"'},
        {"type": "transform", "pattern": "user.email", "transform": "mask"},
    ],
    "metadata": {"team": "support"},
}

_DIFF: Final = [
    DiffRow("changed", "user.name", "Mia Li of Chicago", "Mia Li of New York"),
    DiffRow("added", "seat", "", '"14C"', note="overwrite"),
    DiffRow("removed", "draft", '"Dear customer"', ""),
    DiffRow("moved", "message 12", "place 3", "place 7"),
    DiffRow("changed", "note", "plain", _HOSTILE),
]


def styleguide(request: HttpRequest) -> HttpResponse:
    """Every component once; ``?confirm`` shows the page of a question instead."""
    if not settings.DEBUG:
        raise Http404
    crumbs = [Crumb("Overview", "/"), Crumb("Style guide")]
    if "confirm" in request.GET:
        return render(
            request, "confirm.html", {"confirm": _question(request.path), "crumbs": crumbs}
        )
    form = ExampleForm(request.POST) if request.method == "POST" else ExampleForm(initial=_EXAMPLE)
    now = clock.now()
    context = {
        "title": "Style guide",
        "crumbs": crumbs,
        "statuses": list(STATUSES),
        "moments": [now, now - timedelta(hours=3), now - timedelta(days=40)],
        "tabs": [
            Tab("Messages", "?tab=messages", current=True, count=1234),
            Tab("Batches", "?tab=batches", count=7),
            Tab("Raw", "?tab=raw"),
        ],
        "parts": [
            Part("system", 1800, "purple"),
            Part("user", 9200, "blue"),
            Part("assistant", 14300, "teal"),
            Part("tool", 31000, "orange"),
        ],
        "state": _STATE,
        "long": _LONG,
        "hostile": _HOSTILE,
        "markdown_text": _MARKDOWN,
        "diff": _DIFF,
        "form": form,
        "saved": form.sent and form.is_valid(),
        "code": 'curl -H "Authorization: Bearer $TOKEN" \\\n  "$BASE/api/v1/conversations"',
    }
    return render(request, "styleguide/page.html", context)


def _question(path: str) -> Confirm:
    return Confirm(
        title="Roll back to batch 3?",
        text="12 messages come back, 4 leave the view. Nothing is deleted.",
        action=path,
        submit="Roll back",
        back=path,
        danger=True,
        asks_reason=True,
        hidden={"batch": "3"},
    )
