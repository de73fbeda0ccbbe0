"""The index follows what is written, and forgets what is erased."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from conversations.domain.configs import read_operation
from conversations.lifecycle import erasure
from conversations.lifecycle.archival import archive
from conversations.models import Conversation, Feed, FeedEntry, Message
from conversations.services import use_cases
from conversations.services.comments import About, comment, remove_comment
from conversations.services.pins import pin
from ctxadmin.identity.roles import Role, Scope
from search import indexer, store
from search.domain.query import HitKind
from search.models import SearchDocument, SearchMark, SearchProgress
from search.texts import messages_of
from tests.factories import (
    Api,
    assistant,
    calls,
    conversation,
    drafts,
    engine,
    person,
    result,
    user,
    workspace,
)
from tests.integration.checkpoints.flows import REVIEW, Run, chain, ok
from tests.integration.search.conftest import Find, look

pytestmark = pytest.mark.django_db

KEEP_ONE = read_operation({"operation": "truncate", "truncate": {"keep_last": 1}})


def terms_left(word: str) -> int:
    """How many texts the full text table itself has with a word."""
    sql = (
        "SELECT COUNT(*) FROM search_words WHERE search_words MATCH %s"
        if connection.vendor == "sqlite"
        else "SELECT COUNT(*) FROM search_words WHERE terms LIKE CONCAT('%% ', %s, ' %%')"
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, [word])
        return int(cursor.fetchone()[0])


def test_messages_are_found_by_their_words(find: Find) -> None:
    head = conversation(user("I never got the second charger"), assistant("A refund then"))
    (hit,) = find("charger second")
    assert (hit.kind, hit.conversation, hit.index) == (HitKind.MESSAGE, head.public_id, 0)
    assert (hit.role, hit.visible) == ("user", True)
    assert hit.passage.plain() == "I never got the second charger"
    assert find('"charger second"') == []
    assert [hit.index for hit in find("REFUND")] == [1]


@pytest.mark.parametrize("words", ["退款", "要求退款", "客", "款", "订单A-1042"])
def test_chinese_is_found_by_any_of_its_characters(find: Find, words: str) -> None:
    conversation(user("客户要求退款，订单A-1042"))
    assert [hit.index for hit in find(words)] == [0]
    assert find("退货") == []


def test_the_latest_come_first(find: Find) -> None:
    conversation(user("first needle"), user("second needle"))
    conversation(user("third needle"))
    plain = [hit.passage.plain() for hit in find("needle")]
    assert plain == ["third needle", "second needle", "first needle"]


def test_titles_and_ids_are_found(find: Find) -> None:
    conversation(user("hello"), title="Change a flight", public_id="airline-1-23")
    assert [hit.kind for hit in find("flight")] == [HitKind.CONVERSATION]
    assert [hit.kind for hit in find("airline-1-23")] == [HitKind.CONVERSATION]


def test_a_new_title_replaces_the_old_one(find: Find) -> None:
    head = conversation(user("hello"), title="Flight")
    assert find("flight")
    Api().patch(f"/conversations/{head.public_id}", {"title": "Hotel"})
    assert [hit.title for hit in find("hotel")] == ["Hotel"]
    assert find("flight") == []
    assert terms_left("xflight") == 0


def test_calls_and_results_are_found_by_their_tool(find: Find) -> None:
    conversation(user("look it up"), calls("c1"), result("c1", "nothing found"), user("look_up"))
    assert [hit.index for hit in find("tool:look_up")] == [2, 1]
    assert [hit.index for hit in find("tool:look_up nothing")] == [2]
    assert find("tool:look") == []


def test_words_in_json_of_a_tool_are_found_as_they_are_read(find: Find) -> None:
    conversation(
        user("hi"), calls("c1"), result("c1", '{"note": "a\\nbar", "why": "\\u9000\\u6b3e"}')
    )
    for words in ("bar", "退款", '"why 退款"'):
        assert [hit.index for hit in find(words)] == [2]
    assert find("nbar") == []


def test_roles_narrow_and_developers_count_as_system(find: Find) -> None:
    conversation({"role": "developer", "content": "be brief"}, user("be brief"))
    assert [hit.index for hit in find("brief role:system")] == [0]
    assert [hit.index for hit in find("brief role:user")] == [1]


def test_state_reasons_and_comments_are_found(find: Find) -> None:
    chain("asks", "a", "b", configs={"b": REVIEW})
    run = Run.start("asks", state={"customer": {"name": "Mia Li", "city": "Bremen"}})
    ok(run.complete("a", result={"output": {"amount": 59, "text": "Your parcel left"}}))
    reviewer = run.by(Scope.REVIEW)
    ok(reviewer.update("b", state_data={"customer": "Rosa"}, reason="She married"))
    head = Conversation.objects.get(public_id=run.head.public_id)
    comment(person(), head.public_id, About(), "Ask the warehouse")
    (parcel,) = find("parcel")
    assert (parcel.kind, parcel.key) == (HitKind.STATE, "a_output")
    assert [hit.key for hit in find("rosa in:state")] == ["customer"]
    assert find("bremen") == []
    (reason,) = find("married")
    assert (reason.kind, reason.about, reason.version) == (HitKind.REASON, "version", 2)
    assert [hit.kind for hit in find("warehouse")] == [HitKind.COMMENT]
    assert [hit.kind for hit in find("asks status:paused")] == []
    assert [hit.conversation for hit in find("status:paused")] == [head.public_id]
    assert [hit.key for hit in find("workflow:asks parcel")] == ["a_output"]


def test_reasons_of_batches_and_pins_are_found(find: Find) -> None:
    head = conversation(user("one"), user("two"))
    use_cases.apply_operation(
        engine(),
        head.public_id,
        KEEP_ONE,
        reason="Too verbose",
    )
    pin(engine(), head.public_id, "log-1", pinned=True, reason="The promise")
    (batch,) = find("verbose")
    assert (batch.kind, batch.about, batch.batch) == (HitKind.REASON, "batch", 1)
    (promise,) = find("promise")
    assert (promise.about, promise.batch) == ("batch", 1)


def test_hidden_messages_are_found_and_said_to_be_hidden(find: Find) -> None:
    head = conversation(user("needle one"), user("two"))
    use_cases.apply_operation(engine(), head.public_id, KEEP_ONE)
    (hit,) = find("needle")
    assert hit.visible is False


def test_a_removed_comment_is_forgotten(find: Find) -> None:
    head = conversation(user("one"))
    made = comment(person(), head.public_id, About(message=0), "Wonderful needle")
    assert [hit.index for hit in find("needle")] == [0]
    remove_comment(person(), head.public_id, made.number)
    assert look("needle") == []
    assert find("needle") == []
    assert terms_left("xneedle") == 0


def test_erasing_leaves_nothing_in_the_index(find: Find) -> None:
    head = conversation(user("secret needle"), title="needle")
    conversation(user("another needle"))
    assert len(find("needle")) == 3
    erasure.erase(person(Role.ADMIN), head.public_id)
    assert not SearchDocument.objects.filter(conversation=head.key).exists()
    assert terms_left("xsecret") == 0
    assert len(look("needle")) == 1
    assert len(find("needle")) == 1
    assert not SearchMark.objects.filter(conversation=head.key).exists()


def test_a_conversation_that_is_erased_while_it_is_indexed_stays_out() -> None:
    head = conversation(user("secret needle"))
    mark = store.find_mark(head)
    texts = messages_of(head, 0)
    erasure.erase(person(Role.ADMIN), head.public_id)
    assert store.commit(mark, SearchMark(conversation=head.key, workspace=1), texts) is False
    assert not SearchDocument.objects.filter(conversation=head.key).exists()


def test_one_that_is_indexed_twice_is_in_once(find: Find) -> None:
    head = conversation(user("needle"))
    mark = store.find_mark(head)
    indexer.catch_up(head)
    assert store.commit(mark, mark, messages_of(head, 0)) is False
    assert len(find("needle")) == 1


def test_archived_ones_are_found_when_asked_for(find: Find) -> None:
    head = conversation(user("needle"))
    archive(person(Role.ADMIN), head.public_id)
    assert find("needle") == []
    assert [hit.index for hit in find("needle", archived=True)] == [0]


def test_no_one_finds_what_another_workspace_has(find: Find) -> None:
    conversation(user("needle"), actor=engine(slug="other"))
    assert find("needle") == []
    assert len(find("needle", person(slug="other"))) == 1


def test_what_was_altered_in_the_database_is_left_out(find: Find) -> None:
    head = conversation(user("needle"))
    assert find("needle")
    Message.objects.filter(conversation=head.key).update(
        body=b'{"role":"user","content":"needle!"}'
    )
    assert look("needle") == []


def test_the_indexer_continues_where_it_stopped(find: Find) -> None:
    head = conversation(user("needle one"))
    assert len(find("needle")) == 1
    use_cases.append(engine(), head.public_id, drafts(user("needle two")))
    assert indexer.count_unindexed(workspace().key) == 1
    assert len(look("needle")) == 1
    assert len(find("needle")) == 2
    assert indexer.count_unindexed(workspace().key) == 0
    assert indexer.run_round() is False


def test_a_lost_feed_leads_to_a_walk(find: Find) -> None:
    head = conversation(user("needle one"))
    find("needle")
    use_cases.append(engine(), head.public_id, drafts(user("needle two")))
    indexer.count_unindexed(workspace().key)
    Conversation.objects.update(unfed=False)
    FeedEntry.objects.all().delete()
    SearchProgress.objects.update(cursor=1)
    Feed.objects.update(removed=2, last=9)
    assert len(find("needle")) == 2


def test_rebuilding_finds_the_same(find: Find) -> None:
    for number in range(3):
        conversation(user(f"needle {number}"), title=f"needle {number}")
    before = [hit.passage for hit in find("needle")]
    told: list[int] = []
    indexer.rebuild(lambda progress: told.append(progress.walked))
    assert [hit.passage for hit in look("needle")] == before
    assert told[-1] == 3


def test_a_long_conversation_is_indexed_in_parts(find: Find) -> None:
    conversation(*[user(f"needle {number}") for number in range(700)])
    hits = find("needle")
    assert [hit.index for hit in hits] == list(range(699, 649, -1))


def test_an_append_costs_no_statement_more(find: Find) -> None:
    head = conversation(user("needle"))

    def counted() -> int:
        with CaptureQueriesContext(connection) as queries:
            use_cases.append(engine(), head.public_id, drafts(user("more")))
        return len(queries)

    counted()
    before = counted()
    find("needle")
    assert counted() == before


def test_hostile_words_find_nothing_and_break_nothing(find: Find) -> None:
    conversation(user("needle"))
    for text in (
        '" OR 1=1 --',
        "NEAR(a b)",
        "needle AND NOT",
        "*",
        "a* b*",
        "\x00",
        "💥",
        "x' OR '",
    ):
        find(text)


def test_many_hits_are_paged(find: Find, django_assert_max_num_queries: Callable[..., Any]) -> None:
    for number in range(30):
        conversation(user(f"needle {number}"))
    find("needle")
    with django_assert_max_num_queries(16):
        assert len(look("needle")) == 30
