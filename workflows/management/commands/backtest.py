"""``manage.py backtest``: what policies would have cost on recorded conversations."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final, TypeVar

from django.core.management.base import CommandError
from pydantic import JsonValue

from conversations.domain.imports.transcript import ImportedConversation
from conversations.domain.imports.uploads import read_upload
from conversations.domain.prices import Price
from conversations.domain.tokens import tokens_of_text
from conversations.workspace.matching import ConversationFilter
from ctxadmin.accounts.models import Workspace
from ctxadmin.accounts.services import default_workspace, system_actor
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import ContextError
from ctxadmin.lib.json_bytes import dumps, loads_strict
from ctxadmin.storage.commands import ReadyCommand
from workflows.backtests.recordings import recorded_conversations
from workflows.backtests.replaying import ProcessDied, ReplayRequest, run_backtest
from workflows.domain.backtests.policies import Policies, PolicyConfig, policies_of
from workflows.domain.backtests.presets import DEFAULT_PRICE, PRESETS, RATIOS
from workflows.domain.backtests.recorded import Recorded
from workflows.domain.backtests.replay import replay
from workflows.domain.backtests.sums import compare
from workflows.domain.backtests.table import calls_csv, csv_text, table_lines
from workflows.domain.document.graph import Document
from workflows.domain.running.plan import Plan
from workflows.store.definitions import definition
from workflows.store.workflow import find_workflow

ReadT = TypeVar("ReadT")

_LATEST: Final = 100
_MOST: Final = 100_000
_PARTS: Final = 4


def _price(text: str) -> Price:
    """Parses ``INPUT,CACHED,CACHE_WRITE,OUTPUT`` in dollars per million tokens."""
    try:
        parts = [Decimal(part) for part in text.split(",")]
    except InvalidOperation:
        parts = []
    if len(parts) != _PARTS or not all(part.is_finite() and part >= 0 for part in parts):
        raise ArgumentTypeError("four prices of 0 or more: INPUT,CACHED,CACHE_WRITE,OUTPUT")
    return Price(*parts)


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= _MOST:
        raise ArgumentTypeError(f"a number from 1 to {_MOST}")
    return int(text)


class Command(ReadyCommand):
    help = (
        "Replay recorded conversations call by call and compare what policies for the context "
        "send and cost. Nothing is stored."
    )

    _told = 0

    def add_arguments(self, parser: ArgumentParser) -> None:
        known = ", ".join(PRESETS)
        parser.add_argument(
            "--files", nargs="+", type=Path, help="conversations as JSON or JSONL, in any format"
        )
        parser.add_argument("--workspace", default="", help="slug; default: the default workspace")
        parser.add_argument(
            "--last", type=_count, default=_LATEST, help="how many of the latest conversations"
        )
        parser.add_argument("--status", default="", help="only conversations of this status")
        parser.add_argument("--workflow", default="", help="slug; its conversations, its nodes")
        parser.add_argument("--query", default="", help="text in the title or id of conversations")
        parser.add_argument(
            "--presets", nargs="*", choices=sorted(PRESETS), metavar="NAME", help=f"of {known}"
        )
        parser.add_argument(
            "--nodes", nargs="+", default=(), help="nodes of the draft of --workflow as policies"
        )
        parser.add_argument("--policies", type=Path, help="JSON file with a list of policies")
        parser.add_argument("--calls-of", default="", help="only calls of this node")
        parser.add_argument("--tools", type=Path, help="JSON file with the tool schemas")
        parser.add_argument(
            "--prices", choices=sorted(RATIOS), default=DEFAULT_PRICE, help="prices in proportion"
        )
        parser.add_argument(
            "--price", type=_price, help="INPUT,CACHED,CACHE_WRITE,OUTPUT for 1,000,000 tokens"
        )
        parser.add_argument("--csv", type=Path, help="write the table to this file")
        parser.add_argument("--calls-csv", type=Path, help="write every call to this file")
        parser.add_argument("--processes", type=int, choices=range(1, 65), default=2, metavar="N")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._run(options)
        except ContextError as error:
            problem = error.problems[0] if error.problems else None
            where = f"{problem.pointer}: {problem.message}" if problem else error.detail
            raise CommandError(where) from None
        except ProcessDied:
            raise CommandError("A process ended too early, perhaps for lack of memory.") from None

    def _run(self, options: dict[str, Any]) -> None:
        slug = options["workspace"]
        workspace = Workspace.objects.filter(slug=slug).first() if slug else default_workspace()
        if workspace is None:
            raise CommandError(f"There is no workspace {slug!r}.")
        actor = system_actor(workspace, "backtest")
        for path in filter(None, (options["csv"], options["calls_csv"])):
            _write(path, "", mode="a")  # refused now and not after minutes of work
        document = _draft(actor, options["workflow"]) if options["nodes"] else None
        request = ReplayRequest(_policies(options), document, options["calls_of"])

        def conversations() -> Iterator[Recorded]:
            return _conversations(actor, options)

        sums = run_backtest(
            request, conversations(), processes=options["processes"], progress=self._print_progress
        )
        if options["workflow"] and not sums[0].conversations:
            # One that was deleted can still have conversations.
            find_workflow(actor.workspace, options["workflow"])
        if not sums[0].calls:
            self.stdout.write("There is no call: nothing was written by an assistant.")
        compared = compare(sums, options["price"] or RATIOS[options["prices"]])
        of = f"{len(sums[0].conversations)} conversations, {sums[0].calls} calls"
        self.stdout.write(of if options["price"] else f"{of}, prices in proportion")
        self.stdout.write("\n".join(table_lines(compared)))
        if options["csv"]:
            _write(options["csv"], csv_text(compared))
        if options["calls_csv"]:
            plan = None if document is None else Plan(document)
            rows = policies_of(request.policies, plan)
            told = ((each.name, replay(each, rows, node=request.node)) for each in conversations())
            _write(options["calls_csv"], calls_csv(told, sums))

    def _print_progress(self, done: int) -> bool:
        if done != self._told:
            self._told = done
            self.stderr.write(f"{done} conversations")
        return True


def _draft(actor: Actor, slug: str) -> Document:
    if not slug:
        raise CommandError("--nodes needs --workflow.")
    return definition(bytes(find_workflow(actor.workspace, slug).draft)).document


def _policies(options: dict[str, Any]) -> Sequence[PolicyConfig]:
    given: list[JsonValue] = []
    if options["policies"] is not None:
        listed = _json(options["policies"])
        if not isinstance(listed, list):
            raise CommandError(f"{options['policies']}: a list of policies is expected.")
        given += listed
    given += [{"node": node} for node in options["nodes"]]
    presets = options["presets"]
    if presets is None:
        presets = [] if given else PRESETS
    given += [{"preset": name} for name in presets]
    return parse(Policies, given, "/policies")


def _conversations(actor: Actor, options: dict[str, Any]) -> Iterator[Recorded]:
    tools = None if options["tools"] is None else _json(options["tools"])
    if options["files"] is None:
        wanted = ConversationFilter(
            status=options["status"], workflow=options["workflow"], text=options["query"]
        )
        tokens = tokens_of_text(dumps(tools).decode()) if tools else 0
        yield from recorded_conversations(actor, wanted, options["last"], tool_tokens=tokens)
        return
    for path in options["files"]:
        for number, source in enumerate(_read(path, read_upload)):
            if isinstance(source, ImportedConversation):
                drafts = source.drafts
            else:
                drafts = tuple(logged.entry.draft for logged in source.messages)
            name = source.conversation_id or f"{path.name}:{number}"
            yield Recorded.of_drafts(name, drafts, tools=source.tools, schemas=tools)


def _json(path: Path) -> JsonValue:
    return _read(path, loads_strict)


def _read(path: Path, read: Callable[[bytes], ReadT]) -> ReadT:
    """Returns the result of ``read`` on a file; raises CommandError naming the file."""
    try:
        return read(path.read_bytes())
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from None
    except ContextError as error:
        raise CommandError(f"{path}: {error.detail}") from None


def _write(path: Path, text: str, mode: str = "w") -> None:
    try:
        with path.open(mode, encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from None
