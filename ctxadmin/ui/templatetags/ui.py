"""Template tags of the components; ``templates/README.md`` is their catalog."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import groupby

from django import template
from django.http import HttpRequest
from django.template.context import Context
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils.formats import number_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from pydantic import JsonValue

from ctxadmin.lib import clock
from ctxadmin.lib.diff_folds import DiffPart, fold_new, fold_parts, rows_in_sight
from ctxadmin.lib.text_diff import DiffSide, TextPiece, text_diff
from ctxadmin.ui import form_idempotency, json_view, markdown, visible_text
from ctxadmin.ui.components import (
    REDO,
    STATUSES,
    DiffRow,
    StatusBadge,
    Tab,
    Text,
    author_label,
    label_of_status,
    sentence_gap,
)
from ctxadmin.ui.language import url_of_words
from ctxadmin.ui.markdown_diff import MarkedBlock

register = template.Library()

_LONG_TEXT = 1200
_LONG_LINES = 16
_LONG_SIDE = 160  # characters of a difference
_RELATIVE = timedelta(days=7)  # as frontend/src/time counts it
_SMALL = 1  # dollars; less is reported with two digits that are not 0
_MOST_DIGITS = 9
_THOUSAND = 1_000


@register.simple_tag
def icon(name: str, label: str = "", css: str = "") -> SafeString:
    """Draws an icon of the sprite; without ``label`` it is hidden from screen readers."""
    accessible = (
        format_html('role="img" aria-label="{}"', label)
        if label
        else mark_safe('aria-hidden="true"')
    )
    return format_html(
        '<svg class="icon {}" {} focusable="false"><use href="{}#{}"/></svg>',
        css,
        accessible,
        static("vendor/icons.svg"),
        name,
    )


@register.simple_tag
def form_key() -> SafeString:
    """Draws the field that recognizes a form that is sent again
    (``ctxadmin.ui.form_idempotency``).
    """
    field = '<input type="hidden" name="{}" value="{}" autocomplete="off">'
    return format_html(field, form_idempotency.FIELD, form_idempotency.new_key())


@register.simple_tag
def island_words() -> SafeString:
    """Draws the script with the words of the islands, before theirs; nothing in English."""
    url = url_of_words()
    return format_html('<script defer src="{}"></script>', url) if url else SafeString()


@register.inclusion_tag("components/status_badge.html")
def status_badge(status: str, note: str = "") -> dict[str, object]:
    """Draws the status of an execution, followed by ``note``; an unknown one is shown as it is."""
    known = STATUSES.get(str(status), StatusBadge(str(status), "secondary", "question-mark"))
    return {"status": known, "note": note}


@register.inclusion_tag("components/note.html")
def note(
    tone: str,
    text: object,
    title: str = "",
    url: str = "",
    action: str = "",
    dismiss: bool = False,
    undo: str = "",
    lines: Sequence[str] = (),
) -> dict[str, object]:
    """Draws a notice in the page: ``info``, ``success``, ``warning`` or ``error``.

    A POST to ``undo`` undoes what it describes; as ``redo ADDRESS``, it does again what was undone.
    ``lines`` are listed below the text. Hidden signs are named in both.
    """
    icons = {"success": "circle-check", "warning": "alert-triangle", "error": "alert-circle"}
    return {
        "tone": tone,
        "icon_name": icons.get(tone, "info-circle"),
        "urgent": tone in ("warning", "error"),
        "text": text if hasattr(text, "__html__") else visible(text),
        "title": title,
        "url": url,
        "action": action,
        "dismiss": dismiss,
        "undo": undo.removeprefix(REDO),
        "redoes": undo.startswith(REDO),
        "lines": lines,
    }


@register.inclusion_tag("components/empty.html")
def empty(
    title: str,
    text: str = "",
    url: str = "",
    action: str = "",
    icon: str = "inbox",
    level: int = 2,
    key: str = "",
) -> dict[str, object]:
    """Draws an empty place that says what to do next.

    ``url``, ``action`` and ``key`` are a button.
    """
    return {
        "title": title,
        "text": text,
        "url": url,
        "action": action,
        "icon": icon,
        "level": level,
        "key": key,
    }


@register.inclusion_tag("components/pager.html", takes_context=True)
def pager(
    context: Context, next: str | None, shown: int | None = None, param: str = "cursor"
) -> dict[str, object]:
    """Draws the links of a cursor list: first page and next one, with the other parameters kept."""
    request: HttpRequest = context["request"]
    query = request.GET.copy()
    has_cursor = bool(query.pop(param, None))
    first_url = f"?{query.urlencode()}"
    if next:
        query[param] = next
    return {
        "first_url": first_url if has_cursor else "",
        "next_url": f"?{query.urlencode()}" if next else "",
        "shown": shown,
    }


@register.inclusion_tag("components/tabs.html")
def tabs(items: Sequence[Tab], label: str) -> dict[str, object]:
    """Draws a row of links of which one is the current page; ``label`` names the row."""
    return {"items": items, "label": label}


@register.inclusion_tag("components/token_bar.html")
def token_bar(
    used: int, limit: int | None = None, before: int | None = None, label: str = ""
) -> dict[str, object]:
    """Draws how many tokens are used, of how many, and the change since ``before``."""
    return {
        "used": used,
        "limit": limit,
        "high": int(limit * 0.8) if limit else None,
        "before": before,
        "delta": used - before if before is not None else None,
        "label": label,
    }


@register.inclusion_tag("components/diff_rows.html")
def diff_rows(rows: Sequence[DiffRow], label: str, label_head: str = "") -> dict[str, object]:
    """Draws differences as rows: added, removed, changed with the words marked, moved.

    Of many rows of one group the first are shown, the others folded.
    """
    return {"parts": list(_row_parts(rows)), "label": label, "label_head": label_head}


def _row_parts(rows: Sequence[DiffRow]) -> Iterator[dict[str, object]]:
    """Returns tables in order, each with its rows; a ``group`` names one that is folded."""
    shown: list[dict[str, object]] = []
    for group, found in groupby(rows, lambda row: row.group):
        drawn = [{"row": row, "sides": _sides(row)} for row in found]
        near = rows_in_sight(len(drawn)) if group else len(drawn)
        shown += drawn[:near]
        if drawn[near:]:
            yield {"group": "", "rows": shown}
            yield {"group": group, "rows": drawn[near:]}
            shown = []
    if shown:
        yield {"group": "", "rows": shown}


@register.inclusion_tag("components/change_row.html")
def change_row(row: DiffRow) -> dict[str, object]:
    """Draws one difference without its label for a tree: of long texts both sides with a head,
    beside each other where there is room, of others before over after.
    """
    is_long = bool(row.before and row.after) and max(map(len, (row.before, row.after))) > _LONG_SIDE
    return {"row": row, "sides": _sides(row), "is_long": is_long}


@register.inclusion_tag("components/diff_text.html")
def diff_text(pieces: Sequence[TextPiece]) -> dict[str, object]:
    """Draws a text with its removed and added words, long parts without a change folded."""
    return {"parts": fold_parts(pieces)}


@register.inclusion_tag("components/markdown_diff.html")
def formatted_diff(blocks: Sequence[MarkedBlock]) -> dict[str, object]:
    """Draws a formatted text with its removed and added words."""
    return {"blocks": blocks}


@register.inclusion_tag("components/diff_text.html")
def diff_parts(parts: Sequence[DiffPart]) -> dict[str, object]:
    """Draws one side of a difference."""
    return {"parts": parts}


def _sides(row: DiffRow) -> tuple[list[DiffPart], list[DiffPart]]:
    """Returns the left and right side; only a changed row has its words marked."""
    if row.kind != "changed":
        before = fold_parts([TextPiece(DiffSide.SAME, row.before)] if row.before else [])
        return before, fold_new(row.after) if row.after else []
    whole = [TextPiece(DiffSide.REMOVED, row.before), TextPiece(DiffSide.ADDED, row.after)]
    pieces = whole if row.whole else text_diff(row.before, row.after)
    left = [piece for piece in pieces if piece.kind is not DiffSide.ADDED]
    right = [piece for piece in pieces if piece.kind is not DiffSide.REMOVED]
    return fold_parts(left), fold_parts(right)


@register.simple_tag
def json_tree(
    value: JsonValue, open_depth: int = 2, most: int = 2000, most_text: int = 200_000
) -> SafeString:
    """Draws a JSON value, folding: at most ``most`` lines, with ``most_text`` of their long
    texts.
    """
    return json_view.draw_json(value, open_depth=open_depth, most=most, most_text=most_text)


@register.inclusion_tag("components/long_text.html")
def long_text(text: str, most: int = _LONG_TEXT) -> dict[str, object]:
    """Draws plain text, hidden signs named, folded if longer than ``most`` characters."""
    lines = text.count("\n") + 1
    folded = len(text) > most or lines > _LONG_LINES
    head = "\n".join(text[:most].split("\n")[:_LONG_LINES]) if folded else text
    return {"text": text, "head": head, "folded": folded, "length": len(text), "lines": lines}


@register.inclusion_tag("components/code_block.html")
def code_block(text: str, language: str = "", label: str = "") -> dict[str, object]:
    """Draws code with a button to copy it."""
    return {"text": text, "language": language, "label": label}


@register.simple_tag
def when(moment: datetime | None, style: str = "auto") -> SafeString:
    """Draws a time, in UTC from the server; a script shows it in the reader's zone and language.

    ``style``: ``auto`` (relative up to a week, then the date), ``full``, ``relative``,
    ``countdown`` (as ``auto``, with minutes in the last day and seconds in the last hour), or
    ``clock``, the time of the day.
    ``data-near`` marks a time that will be relative, and so shorter.
    """
    if moment is None:
        return mark_safe('<span class="text-secondary">–</span>')
    utc = moment.astimezone(UTC)
    is_near = style not in ("full", "clock") and abs(clock.now() - utc) < _RELATIVE
    return format_html(
        '<time datetime="{}" data-time="{}"{}>{}</time>',
        utc.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        style,
        mark_safe(" data-near") if is_near else "",
        utc.strftime("%Y-%m-%d %H:%M UTC"),
    )


register.simple_tag(sentence_gap)


@register.filter
def status_label(status: str) -> Text:
    """Returns the label of an execution's status."""
    return label_of_status(str(status))


@register.simple_tag
def status_words() -> SafeString:
    """Returns every status as an attribute, for scripts that show one: ``data-status-paused``."""
    named = ((name.lower(), status.label) for name, status in STATUSES.items())
    return format_html_join(" ", 'data-status-{}="{}"', named)


@register.filter
def visible(text: object) -> SafeString:
    """Returns escaped text in which hidden signs are named."""
    return visible_text.visible(str(text))


@register.filter
def author(label: object) -> SafeString:
    """Returns a recorded author in the words for people."""
    return visible_text.visible(author_label(str(label)))


@register.filter
def visible_json(text: object) -> SafeString:
    """Returns escaped JSON in which hidden signs are escapes of JSON."""
    return visible_text.visible(str(text), in_json=True)


@register.filter(is_safe=True)
def plainly(text: object) -> str:
    """Returns text for a title, in which hidden signs are named; escaped text stays escaped."""
    return visible_text.plain(str(text))


@register.filter
def grouped(number: object) -> str:
    """Returns a whole number with the language's thousands separator; anything else unchanged."""
    if isinstance(number, int) and not isinstance(number, bool):
        return number_format(number, use_l10n=True, force_grouping=True)
    return "" if number is None else str(number)


@register.filter
def dollars(amount: Decimal | float | None) -> str:
    """Returns US dollars with the significant digits: ``$12.30``, ``$0.0042``."""
    if amount is None:
        return ""
    exact = Decimal(amount)
    digits = min(1 - exact.adjusted(), _MOST_DIGITS) if 0 < abs(exact) < _SMALL else 2
    return f"${number_format(round(exact, digits), digits, use_l10n=True, force_grouping=True)}"


@register.filter
def thousands(number: int) -> str:
    """Returns a whole number in short form: ``840``, ``4.5k``, ``1,200k``."""
    if number < _THOUSAND:
        return grouped(number)
    digits = 1 if number < 100 * _THOUSAND else 0
    rounded = round(Decimal(number) / _THOUSAND, digits)
    return f"{number_format(rounded, digits, use_l10n=True, force_grouping=True)}k"


@register.filter
def percent(share: float) -> str:
    """Returns a share in whole percent: ``83 %``."""
    return f"{round(share * 100)} %"


@register.filter
def signed(number: int) -> str:
    """Returns a change with its sign: ``+1,200``, ``−80``, ``±0``."""
    sign = "+" if number > 0 else "−" if number < 0 else "±"
    return sign + grouped(abs(number))


@register.filter
def duration(span: timedelta) -> str:
    """Returns a duration with one or two units: ``40 ms``, ``3 min 5 s``, ``2 h 10 min``."""
    seconds = max(span.total_seconds(), 0)
    if seconds < 1:
        return _("%(n)s ms") % {"n": round(seconds * 1000)}
    if seconds < 10:
        return _("%(n)s s") % {"n": number_format(seconds, 1)}
    whole = round(seconds)
    if whole < 60:
        return _("%(n)s s") % {"n": whole}
    if whole < 3600:
        return _("%(m)s min %(s)s s") % {"m": whole // 60, "s": whole % 60}
    if whole < 86400:
        return _("%(h)s h %(m)s min") % {"h": whole // 3600, "m": whole % 3600 // 60}
    return _("%(d)s d %(h)s h") % {"d": whole // 86400, "h": whole % 86400 // 3600}


@register.filter(name="markdown")
def markdown_filter(text: object) -> SafeString:
    """Returns Markdown of a message as safe HTML without images."""
    return markdown.render(str(text))


@register.filter
def chat_markdown(text: object) -> SafeString:
    """Markdown of a piece of a message, in which the end of a line is one."""
    return markdown.render_chat(str(text))


@register.simple_block_tag
def card(content: str, title: str = "", icon: str = "", id: str = "", css: str = "") -> SafeString:
    """Draws a card with a title and a padded body; for other shapes write the markup (README)."""
    return render_to_string(
        "components/card.html",
        {"content": content, "title": title, "icon": icon, "id": id, "css": css},
    )
