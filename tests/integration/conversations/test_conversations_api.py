"""The conversation endpoints as an engine calls them."""

from typing import Any

import pytest

from ctxadmin.identity.roles import Scope
from tests.factories import Api, assistant, calls, result, system, texts_of, user
from tests.problems import assert_problem

pytestmark = pytest.mark.django_db


def operation(name: str, block: dict[str, Any]) -> dict[str, Any]:
    return {"operation": name, name: block}


@pytest.fixture
def api() -> Api:
    return Api()


@pytest.fixture
def chat(api: Api) -> str:
    """A conversation with four messages: system, user, assistant, user."""
    messages = [system("Be kind."), user("one"), assistant("two"), user("three")]
    answer = api.post("/conversations", {"id": "chat", "messages": messages})
    assert answer.status_code == 201, answer.content
    return "chat"


def test_a_new_conversation_answers_everything_that_the_contract_names(api: Api) -> None:
    answer = api.post("/conversations", {"title": "t", "metadata": {"camelCase": 1}, "tools": "x"})
    shown = answer.json()
    assert set(shown) == {
        "id", "title", "workflow", "status", "current_batch", "current_revision", "message_count",
        "visible_count", "tokens", "metadata", "tools", "created_at", "updated_at",
        "archived", "message_bytes", "state_bytes", "checkpoint_bytes",
    }  # fmt: skip
    assert shown["status"] == "IDLE"
    assert shown["metadata"] == {"camelCase": 1}
    assert answer["ETag"] == '"0.0"'


def test_an_id_that_is_taken_is_a_duplicate(api: Api, chat: str) -> None:
    assert_problem(api.post("/conversations", {"id": chat}), 409, "duplicate", "/id")


@pytest.mark.parametrize("wrong", ["import", "diff", "", "a b", "a/b", "x" * 65, "é"])
def test_an_id_out_of_the_pattern_is_validation(api: Api, wrong: str) -> None:
    assert_problem(api.post("/conversations", {"id": wrong}), 422, "validation", "/id")


def test_an_unknown_field_is_named(api: Api) -> None:
    assert_problem(api.post("/conversations", {"titel": "x"}), 422, "validation", "/titel")


def test_a_workflow_that_no_one_made_is_named(api: Api) -> None:
    answer = api.post("/conversations", {"workflow": "nothing"})
    assert_problem(answer, 422, "validation", "/workflow")


def test_metadata_over_their_limit_are_too_large(api: Api) -> None:
    answer = api.post("/conversations", {"metadata": {"a": "x" * 1024**2}})
    assert_problem(answer, 413, "too_large", "/metadata")


def test_the_list_pages_by_cursor_without_losing_or_repeating(api: Api) -> None:
    for number in range(5):
        api.post("/conversations", {"id": f"c{number}"})
    seen: list[str] = []
    path = "/conversations?limit=2"
    while path:
        page = api.get(path).json()
        seen += [item["id"] for item in page["results"]]
        path = f"/conversations?limit=2&cursor={page['next']}" if page["next"] else ""
    assert seen == ["c4", "c3", "c2", "c1", "c0"]


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "limit=x", "cursor=%%%", "cursor=WzFd"])
def test_a_wrong_page_request_is_validation(api: Api, query: str) -> None:
    assert_problem(api.get(f"/conversations?{query}"), 422, "validation")


def test_an_unknown_status_in_the_filter_is_named(api: Api) -> None:
    assert_problem(api.get("/conversations?status=BOGUS"), 422, "validation", "?status")


def test_the_list_filters_by_status_and_text(api: Api, chat: str) -> None:
    api.post("/conversations", {"id": "other", "title": "Refund 退款"})
    assert [c["id"] for c in api.get("/conversations?q=退款").json()["results"]] == ["other"]
    assert api.get("/conversations?status=RUNNING").json()["results"] == []


def test_appended_messages_come_back_with_every_field_that_they_had(api: Api, chat: str) -> None:
    message = assistant("four") | {"refusal": None, "x": {"camelCase": [1, {"a": "<script>"}]}}
    answer = api.post(f"/conversations/{chat}/messages", {"messages": [message]})
    assert answer.status_code == 201
    assert answer.json() == {"first_index": 4, "count": 1, "batch": 0, "revision": 0}
    last = api.get(f"/conversations/{chat}/messages").json()["results"][-1]
    assert last["x"] == {"camelCase": [1, {"a": "<script>"}]}
    assert (last["index"], last["id"], last["visible"]) == (4, "log-4", True)


def test_one_bad_message_appends_none(api: Api, chat: str) -> None:
    body = {"messages": [user("fine"), system("")]}
    answer = api.post(f"/conversations/{chat}/messages", body)
    assert_problem(answer, 422, "validation", "/messages/1/content")
    assert api.get(f"/conversations/{chat}").json()["message_count"] == 4


def test_no_message_at_all_is_validation(api: Api, chat: str) -> None:
    answer = api.post(f"/conversations/{chat}/messages", {"messages": []})
    assert_problem(answer, 422, "validation", "/messages")


def test_a_message_over_its_limit_is_too_large(api: Api, chat: str) -> None:
    answer = api.post(f"/conversations/{chat}/messages", {"messages": [user("x" * 1024**2)]})
    assert_problem(answer, 413, "too_large", "/messages/0")


def test_a_message_id_that_is_taken_is_a_duplicate(api: Api, chat: str) -> None:
    body = {"messages": [user("a") | {"id": "mine"}]}
    assert api.post(f"/conversations/{chat}/messages", body).status_code == 201
    answer = api.post(f"/conversations/{chat}/messages", body)
    assert_problem(answer, 409, "duplicate", "/messages/0/id")


def test_what_the_engine_reports_as_tokens_wins(api: Api, chat: str) -> None:
    api.post(f"/conversations/{chat}/messages", {"messages": [user("a") | {"tokens": 1234}]})
    last = api.get(f"/conversations/{chat}/messages").json()["results"][-1]
    assert (last["tokens"], last["tokens_estimated"]) == (1234, False)


def test_an_operation_hides_and_a_rollback_shows_again(api: Api, chat: str) -> None:
    body = {"operation": "truncate", "truncate": {"keepLast": 1}, "reason": "too long"}
    answer = api.post(f"/conversations/{chat}/operations", body).json()
    assert (answer["batch"], answer["revision"], answer["visible_count"]) == (1, 1, 1)
    assert answer["hidden"] == [[0, 3]]
    assert answer["tokens_after"] < answer["tokens_before"]
    assert answer["cached_prefix_lost"] == answer["tokens_before"]
    assert texts_of(api.get(f"/conversations/{chat}/messages")) == ["three"]
    back = api.post(f"/conversations/{chat}/rollback", {"batch": 0}).json()
    assert back["shown"] == [[0, 3]]
    assert texts_of(api.get(f"/conversations/{chat}/messages")) == [
        "Be kind.", "one", "two", "three",
    ]  # fmt: skip


def test_a_dry_run_tells_everything_and_changes_nothing(api: Api, chat: str) -> None:
    before = api.get(f"/conversations/{chat}").json()
    body = {
        "operation": "insert",
        "insert": {"position": 0, "messages": [user("new")]},
        "dry_run": True,
    }
    answer = api.post(f"/conversations/{chat}/operations", body).json()
    assert (answer["batch"], answer["revision"], answer["added"]) == (1, None, [[4, 5]])
    assert api.get(f"/conversations/{chat}").json() == before


@pytest.mark.parametrize(
    ("body", "code", "pointer"),
    [
        ({"operation": "truncate"}, "validation", None),
        (operation("truncate", {}), "validation", None),
        (operation("truncate", {"keep_frist": 3}), "validation", "/truncate/keep_frist"),
        (operation("truncate", {"keep_first": 1.5}), "validation", "/truncate/keep_first"),
        (operation("truncate", {"keepFirst": 1, "keep_first": 1}), "validation", "/truncate"),
        (operation("truncate", {"range": {"start": 2, "end": 2}}), "validation", None),
        ({"operation": "clear", "truncate": {"keep_last": 1}}, "validation", None),
        ({"operation": "drop"}, "validation", "/operation"),
        (operation("insert", {"position": 5, "messages": [user("x")]}), "out_of_range", None),
        (operation("insert", {"position": -2, "messages": [user("x")]}), "validation", None),
        (operation("replace", {"index": 4, "message": user("x")}), "out_of_range", None),
        (operation("replace", {"index": -1, "message": user("x")}), "validation", None),
        (operation("filter", {}), "validation", None),
        (operation("filter", {"content_contains": [""]}), "validation", None),
        ({"processorType": "filter", "rules": []}, "validation", None),
    ],
)  # fmt: skip
def test_a_bad_operation_is_refused_and_changes_nothing(
    api: Api, chat: str, body: dict[str, Any], code: str, pointer: str | None
) -> None:
    before = api.get(f"/conversations/{chat}").json()
    assert_problem(api.post(f"/conversations/{chat}/operations", body), 422, code, pointer)
    assert api.get(f"/conversations/{chat}").json() == before
    assert len(api.get(f"/conversations/{chat}/batches?all=true").json()["results"]) == 1


@pytest.mark.parametrize("dry_run", [True, False])
def test_an_operation_that_asks_for_too_much_work_is_refused_and_changes_nothing(
    api: Api, chat: str, settings: Any, dry_run: bool
) -> None:
    settings.MAX_PREVIEW_WORK = 10
    before = api.get(f"/conversations/{chat}").json()
    rule = {"content_contains": [f"keyword {n}" for n in range(20)]}
    body = {**operation("filter", rule), "dry_run": dry_run}
    answer = api.post(f"/conversations/{chat}/operations", body)
    assert_problem(answer, 413, "too_large")
    assert "keywords" in answer.json()["detail"]
    assert api.get(f"/conversations/{chat}").json() == before


@pytest.mark.parametrize(("batch", "status", "code"), [
    (7, 404, "not_found"), (-1, 404, "not_found"),
    ("0", 422, "validation"), (0.5, 422, "validation"),
])  # fmt: skip
def test_a_rollback_to_no_batch_is_refused(
    api: Api, chat: str, batch: object, status: int, code: str
) -> None:
    answer = api.post(f"/conversations/{chat}/rollback", {"batch": batch})
    assert_problem(answer, status, code)


def test_a_rollback_to_the_current_batch_leaves_no_trace(api: Api, chat: str) -> None:
    before = api.get(f"/conversations/{chat}").json()
    assert api.post(f"/conversations/{chat}/rollback", {"batch": 0}).status_code == 200
    assert api.get(f"/conversations/{chat}").json() == before
    assert api.get(f"/conversations/{chat}/batches?all=true").json()["moves"] == []


def test_a_rolled_back_branch_stays_listed_and_can_be_restored(api: Api, chat: str) -> None:
    api.post(f"/conversations/{chat}/operations", {"operation": "clear"})
    api.post(f"/conversations/{chat}/rollback", {"batch": 0})
    api.post(f"/conversations/{chat}/messages", {"messages": [user("after")]})
    listed = api.get(f"/conversations/{chat}/batches").json()["results"]
    assert [(row["number"], row["revision"]) for row in listed] == [(0, 0), (0, 2)]
    assert_problem(api.post(f"/conversations/{chat}/rollback", {"batch": 1}), 404, "not_found")
    everything = api.get(f"/conversations/{chat}/batches?all=true").json()
    assert [row["parent"] for row in everything["results"]] == [None, 0, 0]
    restored = api.post(f"/conversations/{chat}/restore", {"revision": 1}).json()
    assert restored["revision"] == 1
    assert texts_of(api.get(f"/conversations/{chat}/messages")) == ["Be kind."]
    moves = api.get(f"/conversations/{chat}/batches?all=true").json()["moves"]
    assert [move["kind"] for move in moves] == ["rollback", "restore"]


def test_an_explicit_batch_narrows_the_view(api: Api, chat: str) -> None:
    answer = api.post(f"/conversations/{chat}/batches", {"boundary": 2})
    assert answer.status_code == 201
    assert texts_of(api.get(f"/conversations/{chat}/messages")) == ["two", "three"]
    too_far = api.post(f"/conversations/{chat}/batches", {"boundary": 5})
    assert_problem(too_far, 422, "out_of_range")


def test_a_writer_who_names_what_it_saw_is_notified_of_every_append(api: Api, chat: str) -> None:
    body = {"operation": "clear", "expected_revision": 0, "expected_count": 4}
    api.post(f"/conversations/{chat}/messages", {"messages": [user("late")]})
    answer = api.post(f"/conversations/{chat}/operations", body)
    assert_problem(answer, 409, "version_conflict")
    assert set(answer.json()) >= {"expected", "actual", "changed_keys"}


def test_if_match_stands_for_what_was_seen(api: Api, chat: str) -> None:
    tag = api.get(f"/conversations/{chat}")["ETag"]
    assert tag == '"0.4"'
    path = f"/conversations/{chat}/operations"
    clear = {"operation": "clear"}
    assert_problem(api.post(path, clear, **{"If-Match": '"0.3"'}), 409, "version_conflict")
    assert_problem(api.post(path, clear, **{"If-Match": "seven"}), 422, "validation", "If-Match")
    both = clear | {"expected_revision": 7}
    assert_problem(api.post(path, both, **{"If-Match": tag}), 422, "validation", "If-Match")
    assert api.post(path, clear, **{"If-Match": tag}).status_code == 200


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_truncate_that_hides_the_system_message_says_so(api: Api, dry_run: bool) -> None:
    talk = {"id": "kind", "messages": [system("Be kind."), user("hi"), user("there")]}
    api.post("/conversations", talk)
    path = "/conversations/kind/operations"
    keeping = {"operation": "truncate", "truncate": {"keep_last": 2, "keep_system": True}}
    assert api.post(path, keeping | {"dry_run": dry_run}).json()["warnings"] == []
    cut = operation("truncate", {"keep_last": 1}) | {"dry_run": dry_run}
    (warning,) = api.post(path, cut).json()["warnings"]
    assert (warning["code"], warning["indices"]) == ("system_hidden", [0])


def test_tool_pairs_are_warned_of_kept_or_dropped(api: Api, chat: str) -> None:
    body = {"messages": [calls("c1"), result("c1"), user("thanks")]}
    api.post(f"/conversations/{chat}/messages", body)
    path = f"/conversations/{chat}/operations"
    cut = {"operation": "truncate", "truncate": {"keep_last": 2}, "dry_run": True}
    warned = api.post(path, cut).json()
    assert [(w["code"], w["indices"]) for w in warned["warnings"]] == [
        ("split_pair", [5]),
        ("system_hidden", [0]),
    ]
    assert api.post(path, cut | {"pairing": "keep"}).json()["visible_count"] == 3
    assert api.post(path, cut | {"pairing": "drop"}).json()["visible_count"] == 1


def test_a_tool_result_that_replaces_another_takes_over_its_call(api: Api, chat: str) -> None:
    body = {"messages": [calls("c1"), result("c1", "raw"), user("thanks")]}
    api.post(f"/conversations/{chat}/messages", body)
    path = f"/conversations/{chat}/operations"
    redact = operation("replace", {"index": 5, "message": result("c1", "redacted")})
    answer = api.post(path, redact | {"pairing": "drop"}).json()
    assert (answer["warnings"], answer["visible_count"]) == ([], 7)
    again = operation("replace", {"index": 5, "message": result("c1", "twice")})
    assert api.post(path, again).json()["warnings"] == []
    cut = operation("truncate", {"keep_last": 2})
    assert api.post(path, cut | {"pairing": "keep"}).json()["visible_count"] == 3
    assert texts_of(api.get(f"/conversations/{chat}/messages"))[1:] == ["twice", "thanks"]
    api.post(f"/conversations/{chat}/rollback", {"batch": 0})
    (warning,) = api.post(path, cut | {"dry_run": True, "pairing": "keep"}).json()["warnings"]
    assert warning["code"] == "system_hidden"


def test_clear_leaves_exactly_one_tool_description(api: Api) -> None:
    body = {"id": "tooled", "tools": "find(x)", "messages": [user("a")]}
    api.post("/conversations", body)
    for _ in range(2):
        api.post("/conversations/tooled/operations", {"operation": "clear"})
        assert texts_of(api.get("/conversations/tooled/messages")) == ["find(x)"]
    assert api.get("/conversations/tooled").json()["message_count"] == 2


def test_views_of_a_revision_and_of_the_whole_log(api: Api, chat: str) -> None:
    api.post(f"/conversations/{chat}/operations", operation("truncate", {"keep_last": 1}))
    path = f"/conversations/{chat}/messages"
    assert len(texts_of(api.get(f"{path}?view=revision:0"))) == 4
    whole = api.get(f"{path}?view=all").json()["results"]
    assert [message["visible"] for message in whole] == [False, False, False, True]
    assert_problem(api.get(f"{path}?view=revision:9"), 404, "not_found")
    assert_problem(api.get(f"{path}?view=newest"), 422, "validation", "?view")


def test_the_diff_of_two_revisions_names_what_was_edited(api: Api, chat: str) -> None:
    body = operation("replace", {"index": 1, "message": user("ONE")})
    api.post(f"/conversations/{chat}/operations", body)
    found = api.get(f"/conversations/{chat}/diff?from=0&to=1").json()["results"]
    assert [(c["kind"], c["index"], c["previous_index"]) for c in found] == [("edited", 4, 1)]
    assert_problem(api.get(f"/conversations/{chat}/diff?from=0"), 422, "validation")
    assert_problem(api.get(f"/conversations/{chat}/diff?from=0&to=8"), 404, "not_found")


def test_a_foreign_conversation_is_not_found_on_every_path(api: Api, chat: str) -> None:
    stranger = Api(slug="elsewhere")
    for method, path, body in [
        ("get", "", None), ("patch", "", {"title": "x"}), ("delete", "", None),
        ("get", "/messages", None), ("post", "/messages", {"messages": [user("x")]}),
        ("post", "/operations", {"operation": "clear"}), ("get", "/batches", None),
        ("post", "/batches", {"boundary": 0}), ("post", "/rollback", {"batch": 0}),
        ("post", "/restore", {"revision": 0}), ("get", "/diff?from=0&to=0", None),
        ("get", "/export", None),
    ]:  # fmt: skip
        answer = stranger.send(method, f"/conversations/{chat}{path}", body)
        assert_problem(answer, 404, "not_found")
    assert stranger.get("/conversations").json()["results"] == []


def test_a_reader_may_read_and_nothing_else(api: Api, chat: str) -> None:
    reader = Api(scopes=())
    assert reader.get(f"/conversations/{chat}").status_code == 200
    for path, body in [
        ("/messages", {"messages": [user("x")]}), ("/operations", {"operation": "clear"}),
        ("/rollback", {"batch": 0}), ("/restore", {"revision": 0}), ("/batches", {"boundary": 0}),
    ]:  # fmt: skip
        assert_problem(reader.post(f"/conversations/{chat}{path}", body), 403, "forbidden")
    assert_problem(reader.post("/conversations", {}), 403, "forbidden")


def test_an_engine_may_not_erase(chat: str) -> None:
    answer = Api(scopes=[Scope.ENGINE]).delete(f"/conversations/{chat}")
    assert_problem(answer, 403, "forbidden")


def test_version_1_configs_are_recognised_and_migrated(api: Api) -> None:
    old = {
        "processorType": "filter",
        "rules": [{"sourcePath": "messages[-3:]", "targetPath": "messages"}],
    }
    assert_problem(api.post("/processor-configs/validate", old), 422, "validation")
    answer = api.post("/processor-configs/migrate", old).json()
    assert [line["rule"] for line in answer["report"]]
    new = operation("truncate", {"keep_last": 3})
    assert api.post("/processor-configs/validate", new).json()["ok"] is True


def test_the_list_costs_as_many_queries_for_many_as_for_few(
    api: Api, django_assert_num_queries: Any
) -> None:
    for number in range(30):
        api.post("/conversations", {"id": f"c{number}"})
    with django_assert_num_queries(3):
        api.get("/conversations?limit=30")
