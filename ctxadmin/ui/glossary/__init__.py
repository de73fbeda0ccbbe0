"""The glossary: one word for each thing, its meaning, and its name in the code.

Pages, documents, error texts and code use these words and no synonyms. The page shows them in the
reader's language; ``python -m scripts.glossary`` writes ``docs/reference/glossary.md``.
"""

from collections.abc import Sequence
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ctxadmin.ui.glossary.conversations import CONVERSATIONS
from ctxadmin.ui.glossary.executions import EXECUTIONS
from ctxadmin.ui.glossary.people import PEOPLE
from ctxadmin.ui.glossary.storage import STORAGE
from ctxadmin.ui.glossary.terms import TermGroup
from ctxadmin.ui.glossary.workflows import WORKFLOWS

GLOSSARY: Final[Sequence[TermGroup]] = (PEOPLE, CONVERSATIONS, WORKFLOWS, EXECUTIONS, STORAGE)


@require_safe
def glossary(request: HttpRequest) -> HttpResponse:
    """Shows all terms; ``#slug`` links to one of them."""
    return render(request, "docs/glossary.html", {"groups": GLOSSARY})
