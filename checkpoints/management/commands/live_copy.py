"""``manage.py live_copy``: shows, measures, verifies, rebuilds and drops the copy in Redis."""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from django.core.management.base import CommandError

from checkpoints.live_copy import current
from checkpoints.live_copy.document import document_of
from checkpoints.live_copy.erasure import drop_erased
from checkpoints.live_copy.inspection import PartStatus, status_of, stored_conversations
from checkpoints.live_copy.port import Part
from checkpoints.live_copy.verification import Verdict, rebuild, verify
from conversations.models import Conversation
from conversations.store.conversation import find_head
from ctxadmin.accounts.models import Workspace
from ctxadmin.accounts.services import default_workspace
from ctxadmin.lib.errors import NotFound
from ctxadmin.storage.commands import ReadyCommand
from ctxadmin.storage.redis import links
from ctxadmin.storage.redis.client import RedisDown, RedisPort

_NO_CONVERSATION: Final = "no conversation has this key"


class Command(ReadyCommand):
    help = "Show, measure, verify, rebuild or drop the live copy of conversations in Redis."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("what", choices=["show", "sizes", "verify", "rebuild", "drop"])
        parser.add_argument("conversations", nargs="*", metavar="ID")
        parser.add_argument("--all", action="store_true", help="all conversations in Redis")
        parser.add_argument("--workspace", default="", help="slug; default: the default workspace")

    def handle(self, *args: Any, **options: Any) -> None:
        run: dict[str, Callable[[RedisPort, Sequence[int]], None]] = {
            "show": self._show,
            "sizes": self._sizes,
            "verify": self._verify,
            "rebuild": self._rebuild,
            "drop": self._drop,
        }
        ids: list[str] = options["conversations"]
        if bool(ids) == options["all"]:
            raise CommandError("Give ids of conversations, or --all.")
        if options["what"] == "show" and not ids:
            raise CommandError("Give ids of conversations; show does not take --all.")
        link = links.live_copy_redis()
        if link is None:
            raise CommandError("There is no live copy: REDIS_URL is not set.")
        keys = self._keys(ids, options["workspace"]) if ids else None
        try:
            drop_erased()
            run[options["what"]](link, stored_conversations(link) if keys is None else keys)
        except RedisDown:
            raise CommandError(
                "Redis does not respond. Nothing is lost, because SQL has all data."
            ) from None

    def _keys(self, ids: Sequence[str], slug: str) -> list[int]:
        workspace = Workspace.objects.filter(slug=slug).first() if slug else default_workspace()
        if workspace is None:
            raise CommandError(f"There is no workspace {slug!r}.")
        try:
            return [find_head(workspace.key, public_id).key for public_id in ids]
        except NotFound as error:
            raise CommandError(error.detail) from None

    def _show(self, link: RedisPort, keys: Sequence[int]) -> None:
        """Prints a line of JSON for each conversation, the bytes as they are in Redis."""
        for key, head in _heads(keys):
            document = None if head is None else document_of(head)
            if document is None:
                if not link.is_reachable():
                    raise RedisDown
                name = head.public_id if head else str(key)
                raise CommandError(
                    f"Redis has no complete, current copy of {name}. A read of the snapshot or "
                    f"manage.py live_copy rebuild {name} creates it."
                )
            self.stdout.write(b"".join(document).decode())

    def _sizes(self, link: RedisPort, keys: Sequence[int]) -> None:
        total = 0
        for key, head in _heads(keys):
            newest = f"latest change {head.change_seq}" if head else _NO_CONVERSATION
            self.stdout.write(f"{_name(key, head)}: {newest}")
            for part, standing in status_of(link, key).items():
                total += standing.size
                self.stdout.write(f"  {_line(part, key, standing)}")
        self.stdout.write(f"{len(keys)} conversations, {total:,} bytes")

    def _verify(self, link: RedisPort, keys: Sequence[int]) -> None:
        counts = dict.fromkeys(Verdict, 0)
        left_over = 0
        for key, head in _heads(keys):
            if head is None:
                left_over += 1
                self.stderr.write(f"{_name(key, head)}: {_NO_CONVERSATION}")
                continue
            verdict = verify(head)
            counts[verdict] += 1
            if verdict is Verdict.WRONG:
                self.stderr.write(f"{_name(key, head)}: differs from SQL")
        if not link.is_reachable():
            raise RedisDown
        summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        self.stdout.write(f"{len(keys)} conversations: {summary}, {left_over} left over")
        if counts[Verdict.WRONG] or left_over:
            raise CommandError(
                "Run live_copy rebuild for what differs, and drop for what is left over."
            )

    def _rebuild(self, link: RedisPort, keys: Sequence[int]) -> None:
        rebuilt = 0
        for key, head in _heads(keys):
            if head is None:
                current.copy().drop(key)
            else:
                rebuild(head)
                rebuilt += 1
        if not link.is_reachable():
            raise RedisDown
        self.stdout.write(f"{rebuilt} rebuilt")

    def _drop(self, link: RedisPort, keys: Sequence[int]) -> None:
        dropped = sum(current.copy().drop(key) for key in keys)
        if dropped < len(keys):
            raise RedisDown
        self.stdout.write(f"{dropped} dropped")


def _heads(keys: Sequence[int]) -> Iterator[tuple[int, Conversation | None]]:
    for key in keys:
        yield key, Conversation.objects.filter(key=key).first()


def _name(key: int, head: Conversation | None) -> str:
    return f"{head.public_id if head else '?'} {{{key}}}"


def _line(part: Part, key: int, standing: PartStatus) -> str:
    change = "no mark" if standing.change is None else f"change {standing.change}"
    expiry = "never expires" if standing.seconds < 0 else f"expires in {standing.seconds} s"
    keys = "1 key" if standing.keys == 1 else f"{standing.keys} keys"
    return f"{part.key(key)}: {change}, {keys}, {standing.size:,} bytes, {expiry}"
