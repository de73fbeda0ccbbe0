"""The workflow pages as people with different roles use them."""

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pydantic import JsonValue

from ctxadmin.accounts.roles import Role
from demo.workflows import WORKFLOWS
from tests.factories import assistant, conversation, person, signed_in, system, user
from workflows import services
from workflows.definitions import definition
from workflows.domain import graph
from workflows.domain.graph import Document, Edge, Node
from workflows.models import Workflow, WorkflowVersion

pytestmark = pytest.mark.django_db

SMALL: dict[str, JsonValue] = {
    "name": "Small",
    "nodes": [
        {"id": "start", "type": "start"},
        {
            "id": "answer",
            "type": "llm",
            "name": "Answer",
            "context_type": "filter_in",
            "context_filter": {
                "rules": [{"type": "include", "pattern": "prompt.*"}],
                "messages": [{"operation": "truncate", "truncate": {"keep_last": 2}}],
            },
            "config": {"template": "Be short.", "timeout": 20, "temperature": 0.2},
        },
    ],
    "edges": [{"id": "go", "type": "sequence", "from": "start", "to": "answer"}],
}


@pytest.fixture
def designer() -> Client:
    return signed_in(Role.DESIGNER)


@pytest.fixture
def small() -> Workflow:
    return made("small", SMALL)


def made(slug: str, document: JsonValue) -> Workflow:
    read = graph.read(document)
    return services.import_document(person(Role.DESIGNER), read, slug, None).workflow


def text(answer: Any) -> str:
    return str(answer.content.decode())


def draft(slug: str = "small") -> Document:
    return definition(bytes(Workflow.objects.get(slug=slug).draft)).document


def node(name: str) -> Node:
    return next(each for each in draft().nodes if each.id == name)


def edge(name: str) -> Edge:
    return next(each for each in draft().edges if each.id == name)


def fields(page: str) -> dict[str, str | list[str]]:
    """What a browser would send back of the page's form, none of its buttons pressed."""
    found: dict[str, str | list[str]] = {}
    form = page[page.index('id="element"') :]
    form = form[: form.index("</form>")]
    for tag in re.findall(r"<input[^>]*>", form):
        name = re.search(r'name="([^"]*)"', tag)
        box = 'type="checkbox"' in tag
        if name and (not box or "checked" in tag):
            value = re.search(r'value="([^"]*)"', tag)
            text = _plain(value[1]) if value else "on" if box else ""
            before = found.get(name[1]) if box else None
            found[name[1]] = [*_listed(before), text] if before else text
    for name, body in re.findall(r'<textarea[^>]*name="([^"]*)"[^>]*>(.*?)</textarea>', form, re.S):
        found[name] = _plain(body.removeprefix("\n"))
    for name, body in re.findall(r'<select[^>]*name="([^"]*)"[^>]*>(.*?)</select>', form, re.S):
        chosen = re.search(r'<option value="([^"]*)" selected', body)
        found[name] = _plain(chosen[1]) if chosen else ""
    return {re.sub("^(node|edge)-", "", name): value for name, value in found.items()}


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _plain(html: str) -> str:
    for entity, sign in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#x27;", "'")):
        html = html.replace(entity, sign)
    return html.replace("&amp;", "&")


def opened(client: Client, path: str) -> dict[str, Any]:
    return dict(fields(text(client.get(path))))


def send(client: Client, path: str, data: dict[str, Any] | None = None) -> Any:
    """Post a form; those of nodes and edges have a root before each name."""
    root = root_of(path)
    own = {"seen", "force", "csrfmiddlewaretoken"}
    sent = {name if name in own else f"{root}{name}": value for name, value in (data or {}).items()}
    if root and "_rows" in (data or {}):
        sent[f"{root}_rows"] = sent[f"{root}_rows"].replace(":", f":{root}", 1)
    return client.post(path, sent)


def root_of(path: str) -> str:
    found = re.search(r"/(?:add-)?(node|edge)s?/(?!.*delete)", path)
    return f"{found[1]}-" if found else ""


# --- The list, creating and importing --------------------------------------------------------


def test_who_is_not_signed_in_is_asked_to(small: Workflow) -> None:
    answer = Client().get("/workflows/small/")
    assert answer["Location"] == "/sign-in/?next=/workflows/small/"


def test_an_empty_list_says_what_to_do(designer: Client) -> None:
    page = text(designer.get("/workflows/"))
    assert "No workflows yet" in page
    assert 'href="/workflows/+new/"' in page


def test_the_list_tells_versions_and_problems(designer: Client, small: Workflow) -> None:
    made("broken", {"name": "Broken", "nodes": [], "edges": []})
    services.publish(person(Role.DESIGNER), "small", 1)
    page = text(designer.get("/workflows/"))
    assert "version 1" in page
    assert "as published" in page
    assert "1 error" in page


def test_a_workflow_is_made_and_opens_empty(designer: Client) -> None:
    answer = send(designer, "/workflows/+new/", {"slug": "fresh", "name": "Fresh"})
    assert answer["Location"] == "/workflows/fresh/"
    assert "Add the first node" in text(designer.get("/workflows/fresh/"))


@pytest.mark.parametrize("slug", ["small", "import", "no spaces", "ä"])
def test_a_slug_that_cannot_be_is_named_at_its_field(
    designer: Client, small: Workflow, slug: str
) -> None:
    answer = send(designer, "/workflows/+new/", {"slug": slug, "name": "X"})
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in text(answer)
    assert Workflow.objects.count() == 1


def test_yaml_comes_in_as_a_file_and_goes_out_the_same(designer: Client, small: Workflow) -> None:
    data = designer.get("/workflows/small/yaml/").content
    file = SimpleUploadedFile("small.yaml", data)
    answer = send(designer, "/workflows/import/", {"slug": "again", "file": file})
    assert answer["Location"] == "/workflows/again/"
    assert draft("again") == draft("small")


def test_pasted_yaml_with_a_mistake_names_the_line_and_stays(designer: Client) -> None:
    yaml = "name: X\nnodes:\n  - id: a\n    typ: llm\n"
    answer = send(designer, "/workflows/import/", {"yaml": yaml})
    assert answer.status_code == 422
    assert "ine 4" in text(answer)
    assert "typ: llm" in text(answer)
    assert Workflow.objects.count() == 0


def test_an_import_of_nothing_and_of_a_taken_slug_are_refused(
    designer: Client, small: Workflow
) -> None:
    assert send(designer, "/workflows/import/", {"yaml": " "}).status_code == 422
    taken = send(designer, "/workflows/import/", {"slug": "small", "yaml": "name: X"})
    assert taken.status_code == 422
    assert Workflow.objects.count() == 1


# --- Drawing and outline ----------------------------------------------------------------------


def test_the_graph_and_the_outline_lead_to_the_forms(designer: Client, small: Workflow) -> None:
    page = text(designer.get("/workflows/small/"))
    assert page.count('href="/workflows/small/nodes/answer/"') == 2
    assert page.count('href="/workflows/small/edges/go/"') == 2
    assert "only prompt.*; last 2" in page
    assert 'id="node-answer"' in page


def test_a_drawing_has_no_styles_and_no_scripts(designer: Client, small: Workflow) -> None:
    page = text(designer.get("/workflows/small/"))
    svg = page[page.index('<svg class="graph"') : page.index("</svg>", page.index("graph-card"))]
    assert "style=" not in svg
    assert "<script" not in svg


def test_problems_lead_to_what_has_them(designer: Client) -> None:
    made(
        "small",
        {
            "name": "Wrong",
            "nodes": [{"id": "a", "type": "llm", "context_type": "nothing_like_it"}],
            "edges": [
                {"id": "e", "type": "conditional", "from": "a", "to": "a", "condition": "a ==="},
                {"id": "f", "type": "sequence", "from": "a", "to": "gone"},
            ],
        },
    )
    page = text(designer.get("/workflows/small/"))
    assert "column" in page
    assert "graph-fault" in page
    assert "there is no node" in page


@pytest.mark.parametrize("slug", WORKFLOWS)
def test_the_demo_is_drawn_with_every_node_and_edge(designer: Client, slug: str) -> None:
    document = graph.read(WORKFLOWS[slug])
    made(slug, WORKFLOWS[slug])
    page = text(designer.get(f"/workflows/{slug}/"))
    assert page.count('class="graph-card"') == len(document.nodes)
    assert page.count("graph-line graph-line-") == len(document.edges)


def test_hostile_texts_are_shown_as_texts(designer: Client) -> None:
    hostile = "<script>alert(1)</script>"
    made(
        "small",
        {
            "name": hostile,
            "nodes": [
                {"id": "a", "type": hostile, "name": hostile, "description": hostile},
                {"id": "b", "type": "llm", "config": {"template": hostile, hostile: hostile}},
            ],
            "edges": [
                {"id": "e", "type": hostile, "from": "a", "to": "b", "condition": f"'{hostile}'"}
            ],
            "reducers": {hostile: hostile},
        },
    )
    conversation(user(hostile), public_id="chat")
    for path in (
        "",
        "nodes/a/",
        "nodes/b/",
        "edges/e/",
        "reducers/",
        "nodes/a/delete/",
        "publish/",
        "preview/?node=b&chosen=1&conversation=chat",
        "preview/?node=b&chosen=1&conversation=<script>alert(1)",
    ):
        assert "<script>alert" not in text(designer.get(f"/workflows/small/{path}"))
    assert "<script>alert" not in text(designer.get("/workflows/"))


def test_a_workflow_that_is_too_large_to_draw_has_its_outline(designer: Client) -> None:
    nodes: list[JsonValue] = [{"id": f"n{place}", "type": "tool"} for place in range(1001)]
    made("large", {"name": "Large", "nodes": nodes, "edges": []})
    page = text(designer.get("/workflows/large/"))
    assert "too large to be drawn" in page
    assert 'id="node-n299"' in page
    assert 'id="node-n300"' not in page
    following = re.search(r'href="(\?cursor=[^"]*)"', page)
    assert following
    assert 'id="node-n300"' in text(designer.get(f"/workflows/large/{following[1]}"))


# --- Nodes ------------------------------------------------------------------------------------


def test_a_form_that_is_saved_as_it_is_changes_nothing(designer: Client, small: Workflow) -> None:
    before = node("answer")
    path = "/workflows/small/nodes/answer/"
    assert send(designer, path, opened(designer, path)).status_code == 302
    assert graph.dump(draft()) == {**SMALL, "nodes": graph.dump(draft())["nodes"]}
    assert node("answer") == before


def test_every_demo_node_and_edge_survives_its_form(designer: Client) -> None:
    for slug, document in WORKFLOWS.items():
        made(slug, document)
        before = draft(slug)
        for kind, listed in (("nodes", before.nodes), ("edges", before.edges)):
            for element in listed:
                path = f"/workflows/{slug}/{kind}/{element.id}/"
                assert send(designer, path, opened(designer, path)).status_code == 302
        assert draft(slug) == before


def test_a_node_is_added_and_renamed_with_its_edges(designer: Client, small: Workflow) -> None:
    new = opened(designer, "/workflows/small/add-node/") | {"id": "end", "type": "end"}
    assert send(designer, "/workflows/small/add-node/", new).status_code == 302
    path = "/workflows/small/nodes/answer/"
    assert send(designer, path, opened(designer, path) | {"id": "reply"}).status_code == 302
    assert [each.id for each in draft().nodes] == ["start", "reply", "end"]
    assert edge("go").to_node == "reply"


def test_an_id_that_is_taken_is_named_at_its_field(designer: Client, small: Workflow) -> None:
    new = opened(designer, "/workflows/small/add-node/") | {"id": "start", "type": "llm"}
    answer = send(designer, "/workflows/small/add-node/", new)
    assert answer.status_code == 422
    assert "is taken" in text(answer)
    assert len(draft().nodes) == 2


def test_rules_are_added_moved_and_removed_without_a_script(
    designer: Client, small: Workflow
) -> None:
    path = "/workflows/small/nodes/answer/"
    sent = opened(designer, path) | {"_rows": "add:context_filters-0-rules"}
    page = text(send(designer, path, sent))
    assert 'name="node-context_filters-0-rules-1-pattern"' in page
    assert len(draft().nodes) == 2
    again = dict(fields(page)) | {
        "context_filters-0-rules-1-type": "exclude",
        "context_filters-0-rules-1-pattern": "prompt.secret",
        "context_filters-0-rules-1-target": "variables",
    }
    assert send(designer, path, again).status_code == 302
    assert node("answer").context_filter == {
        "rules": [
            {"type": "include", "pattern": "prompt.*"},
            {"type": "exclude", "pattern": "prompt.secret"},
        ],
        "messages": [{"operation": "truncate", "truncate": {"keep_last": 2}}],
    }


def test_a_bad_condition_stands_at_its_field_with_its_column(
    designer: Client, small: Workflow
) -> None:
    path = "/workflows/small/nodes/answer/"
    sent = opened(designer, path) | {"context_filters-0-rules-0-condition": "context.a === "}
    page = text(send(designer, path, sent))
    assert re.search(r'id="id_node-context_filters-0-rules-0-condition_error".*column', page, re.S)
    assert "Save with its problems" in page
    assert send(designer, path, sent | {"force": "1"}).status_code == 302
    assert "1 error" in text(designer.get("/workflows/"))


def test_every_mistake_of_a_node_is_told_at_once_by_the_labels_of_its_form(
    designer: Client, small: Workflow
) -> None:
    path = "/workflows/small/nodes/answer/"
    sent = opened(designer, path) | {
        "id": "no id",
        "context_filters-0-rules-0-condition": "context.a === ",
        "context_filters-0-messages-0-truncate-keep_last": "",
        "config": "{",
    }
    page = text(send(designer, path, sent))
    errors = page[page.index("form-errors") : page.index('<input type="hidden" name="node-')]
    assert "4 things are wrong" in errors
    assert "An id has 1 to 64 letters, digits, - and _." in errors
    assert "Filter of what comes in 1 › Rule 1 › Only if</a>: Line 1, column 15" in errors
    assert (
        "Filter of what comes in 1 › Operation 1 › What stays</a>: One of “Keep the fir" in errors
    )
    assert "one of keep_first" not in errors.lower()
    assert draft() == definition(bytes(small.draft)).document


def test_every_mistake_of_an_edge_is_told_at_once(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/edges/go/"
    sent = opened(designer, path) | {"id": "", "to": "nowhere", "condition": "a b"}
    page = text(send(designer, path, sent))
    assert "3 things are wrong" in page
    assert "There is no such node." in page


def test_a_context_processor_gets_its_operation_with_pairs_kept(
    designer: Client, small: Workflow
) -> None:
    new = opened(designer, "/workflows/small/add-node/") | {
        "id": "compact",
        "type": "context_processor",
        "operation-operation": "truncate",
        "operation-truncate-keep_last": "6",
        "operation-protect_tools": "on",
    }
    assert send(designer, "/workflows/small/add-node/", new).status_code == 302
    assert node("compact").config == {
        "operation": "truncate",
        "truncate": {"keep_last": 6},
        "protect_tools": True,
        "pairing": "keep",
    }


@pytest.mark.parametrize(
    ("operation", "block", "expected"),
    [
        ("filter", {"operation-filter-roles": ["user"]}, {"filter": {"roles": ["user"]}}),
        ("clear", {"operation-clear-keep_system_message": "on"}, {}),
        (
            "insert",
            {
                "operation-insert-position": "-1",
                "operation-insert-messages": '[{"role": "user", "content": "hi", "own": 1}]',
            },
            {
                "insert": {
                    "position": -1,
                    "messages": [{"role": "user", "content": "hi", "own": 1}],
                }
            },
        ),
        (
            "replace",
            {
                "operation-replace-index": "0",
                "operation-replace-message": '{"role": "user", "content": "hi"}',
            },
            {"replace": {"index": 0, "message": {"role": "user", "content": "hi"}}},
        ),
    ],
)
def test_each_operation_has_its_form(
    designer: Client,
    small: Workflow,
    operation: str,
    block: dict[str, Any],
    expected: dict[str, JsonValue],
) -> None:
    new = opened(designer, "/workflows/small/add-node/") | {
        "id": "compact",
        "type": "context_processor",
        "operation-operation": operation,
        "operation-pairing": "warn",
        **block,
    }
    answer = send(designer, "/workflows/small/add-node/", new)
    assert answer.status_code == 302, text(answer)
    assert node("compact").config == {"operation": operation, **expected}


def test_an_operation_without_its_block_is_named(designer: Client, small: Workflow) -> None:
    new = opened(designer, "/workflows/small/add-node/") | {
        "id": "compact",
        "type": "context_processor",
        "operation-operation": "truncate",
    }
    answer = send(designer, "/workflows/small/add-node/", new)
    assert answer.status_code == 422
    assert "keep_first" in text(answer)


def test_a_pause_has_its_reason_and_its_timeout(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/nodes/start/"
    sent = opened(designer, path) | {
        "pause": "after",
        "pause_reason": "Look at it.",
        "timeout_seconds": "60",
        "timeout_outcome": "reject",
    }
    assert send(designer, path, sent).status_code == 302
    assert node("start").config == {
        "pause": "after",
        "pause_reason": "Look at it.",
        "timeout": {"seconds": 60, "outcome": "reject"},
    }


def test_half_a_timeout_is_named_at_the_missing_half(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/nodes/start/"
    sent = opened(designer, path) | {"pause": "before", "timeout_seconds": "60"}
    answer = send(designer, path, sent)
    assert answer.status_code == 422
    assert 'id="id_node-timeout_outcome_error"' in text(answer)


def test_free_config_may_not_say_twice_what_has_a_field(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/nodes/answer/"
    sent = opened(designer, path) | {"config": '{"template": "other"}'}
    answer = send(designer, path, sent)
    assert answer.status_code == 422
    assert "field of its own" in text(answer)


def test_bad_json_in_the_free_config_names_its_place(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/nodes/answer/"
    answer = send(designer, path, opened(designer, path) | {"config": '{"a": '})
    assert answer.status_code == 422
    assert "1 error" not in text(designer.get("/workflows/"))


# --- Edges and reducers -----------------------------------------------------------------------


def test_an_edge_is_added_with_its_filter(designer: Client, small: Workflow) -> None:
    new = opened(designer, "/workflows/small/add-edge/?from=answer&to=start")
    assert (new["from"], new["to"]) == ("answer", "start")
    new |= {
        "id": "again",
        "type": "conditional",
        "condition": "context.again === true",
        "weight": "2",
        "filter_type": "selective",
        "include_patterns": "fact.*\r\nprompt.*",
        "exclude_patterns": "*.internal",
        "messages-count": "1",
        "messages-0-operation": "filter",
        "messages-0-filter-roles": ["user", "assistant", "system"],
        "messages-0-pairing": "keep",
    }
    assert send(designer, "/workflows/small/add-edge/", new).status_code == 302
    assert edge("again").context_filter == {
        "type": "selective",
        "include_patterns": ["fact.*", "prompt.*"],
        "exclude_patterns": ["*.internal"],
        "messages": [
            {
                "operation": "filter",
                "filter": {"roles": ["user", "assistant", "system"]},
                "pairing": "keep",
            }
        ],
    }
    assert "no tools" in text(designer.get("/workflows/small/"))


@pytest.mark.parametrize(
    ("sent", "place"),
    [
        ({"condition": "context.a ==="}, "id_edge-condition_error"),
        ({"filter_type": "selective"}, "id_edge-filter_type_error"),
        ({"filter_type": "conditional"}, "id_edge-filter_condition_error"),
        ({"to": "gone"}, "id_edge-to_error"),
        ({"id": "bad id"}, "id_edge-id_error"),
        ({"weight": "heavy"}, "id_edge-weight_error"),
        ({"filter_type": "selective", "include_patterns": "a\n" + "x" * 999}, "id_edge-include"),
    ],
)
def test_what_is_wrong_with_an_edge_stands_at_its_field(
    designer: Client, small: Workflow, sent: dict[str, str], place: str
) -> None:
    path = "/workflows/small/edges/go/"
    answer = send(designer, path, opened(designer, path) | sent)
    assert answer.status_code == 422
    assert place in text(answer)
    assert edge("go").context_filter is None


def test_reducers_are_set_and_checked(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/reducers/"
    row = {
        "reducers-count": "2",
        "reducers-0-pattern": "fact.*",
        "reducers-0-reducer": "merge",
        "reducers-1-pattern": "fact.*",
        "reducers-1-reducer": "max",
    }
    answer = send(designer, path, opened(designer, path) | row)
    assert answer.status_code == 422
    assert "stands here already" in text(answer)
    good = opened(designer, path) | row | {"reducers-1-pattern": "count"}
    assert send(designer, path, good).status_code == 302
    assert draft().reducers == {"fact.*": "merge", "count": "max"}


# --- Two designers at once --------------------------------------------------------------------


def theirs(document: Document) -> None:
    services.save_draft(person(Role.DESIGNER), "small", document, 1)


def test_a_conflict_shows_what_the_other_did_and_keeps_what_was_typed(
    designer: Client, small: Workflow
) -> None:
    path = "/workflows/small/nodes/answer/"
    mine = opened(designer, path) | {"name": "My new name"}
    nodes = (*draft().nodes, Node(id="theirs", type="tool"))
    theirs(draft().model_copy(update={"nodes": nodes}))
    answer = send(designer, path, mine)
    assert answer.status_code == 409
    page = text(answer)
    assert "node theirs" in page
    assert "My new name" in page
    assert node("answer").name == "Answer"
    assert send(designer, path, dict(fields(page))).status_code == 302
    assert node("answer").name == "My new name"
    assert node("theirs")


def test_a_conflict_about_the_same_node_says_so(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/nodes/answer/"
    mine = opened(designer, path)
    start, answer = draft().nodes
    changed = answer.model_copy(update={"name": "Theirs"})
    theirs(draft().model_copy(update={"nodes": (start, changed)}))
    page = text(send(designer, path, mine))
    assert "this very place" in page


def test_a_node_that_was_deleted_meanwhile_comes_back_when_saved_again(
    designer: Client, small: Workflow
) -> None:
    path = "/workflows/small/nodes/answer/"
    mine = opened(designer, path)
    theirs(draft().model_copy(update={"nodes": draft().nodes[:1], "edges": ()}))
    page = text(send(designer, path, mine))
    assert send(designer, path, dict(fields(page))).status_code == 302
    assert node("answer").name == "Answer"


def test_a_form_without_what_was_seen_is_refused(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/nodes/answer/"
    for seen in ("", "nonsense"):
        answer = send(designer, path, opened(designer, path) | {"seen": seen, "name": "X"})
        assert answer.status_code == 422
    assert node("answer").name == "Answer"


def test_what_was_seen_of_another_workflow_does_not_count(
    designer: Client, small: Workflow
) -> None:
    made("other", SMALL)
    seen = opened(designer, "/workflows/other/nodes/answer/")
    assert send(designer, "/workflows/small/nodes/answer/", seen).status_code == 422


# --- Deleting, publishing, versions -----------------------------------------------------------


def seen_on(client: Client, path: str) -> dict[str, str]:
    found = re.search(r'name="seen" value="([^"]*)"', text(client.get(path)))
    assert found
    return {"seen": found[1]}


def test_deleting_a_node_names_the_edges_that_go_with_it(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/nodes/answer/delete/"
    assert "start → answer" in text(designer.get(path))
    assert send(designer, path, seen_on(designer, path)).status_code == 302
    assert [each.id for each in draft().nodes] == ["start"]
    assert draft().edges == ()


def test_deleting_an_edge_keeps_its_nodes(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/edges/go/delete/"
    assert send(designer, path, seen_on(designer, path)).status_code == 302
    assert (len(draft().nodes), len(draft().edges)) == (2, 0)
    assert designer.get(path).status_code == 404


def test_a_deletion_of_another_draft_than_was_seen_is_a_conflict(
    designer: Client, small: Workflow
) -> None:
    path = "/workflows/small/edges/go/delete/"
    seen = seen_on(designer, path)
    theirs(draft().model_copy(update={"name": "New"}))
    answer = send(designer, path, seen)
    assert answer.status_code == 409
    assert "Somebody else changed the draft" in text(answer)
    assert len(draft().edges) == 1


def test_publishing_asks_and_then_keeps_the_version(designer: Client, small: Workflow) -> None:
    page = text(designer.get("/workflows/small/publish/"))
    assert "never changes" in page
    sent = {"draft_version": "1", "note": "The first"}
    answer = send(designer, "/workflows/small/publish/", sent)
    assert answer["Location"] == "/workflows/small/versions/1/"
    assert WorkflowVersion.objects.get().note == "The first"
    assert "The first" in text(designer.get("/workflows/small/versions/"))
    assert "published already" in text(designer.get("/workflows/small/publish/"))
    version = text(designer.get("/workflows/small/versions/1/"))
    assert 'href="#node-answer"' in version
    assert "/nodes/answer/" not in version


def test_a_draft_with_errors_is_not_published(designer: Client) -> None:
    made("small", {"name": "Empty", "nodes": [], "edges": []})
    page = text(designer.get("/workflows/small/publish/"))
    assert "cannot be published yet" in page
    answer = send(designer, "/workflows/small/publish/", {"draft_version": "1"})
    assert answer.status_code == 422
    assert WorkflowVersion.objects.count() == 0


def test_publishing_another_draft_than_was_seen_is_a_conflict(
    designer: Client, small: Workflow
) -> None:
    theirs(draft().model_copy(update={"name": "New"}))
    answer = send(designer, "/workflows/small/publish/", {"draft_version": "1", "note": "kept"})
    assert answer.status_code == 409
    assert "kept" in text(answer)
    assert WorkflowVersion.objects.count() == 0


def test_a_version_is_compared_and_restored(designer: Client, small: Workflow) -> None:
    services.publish(person(Role.DESIGNER), "small", 1)
    theirs(draft().model_copy(update={"nodes": draft().nodes[:1], "edges": ()}))
    page = text(designer.get("/workflows/small/diff/?from=1&to=draft"))
    assert "node answer" in page
    path = "/workflows/small/versions/1/restore/"
    assert "node answer" in text(designer.get(path))
    assert send(designer, path, seen_on(designer, path)).status_code == 302
    assert node("answer")


@pytest.mark.parametrize("query", ["from=9&to=draft", "from=x", "to=-1"])
def test_a_difference_of_what_is_not_there_is_refused(
    designer: Client, small: Workflow, query: str
) -> None:
    assert designer.get(f"/workflows/small/diff/?{query}").status_code in (404, 422)


def test_name_and_description_are_edited(designer: Client, small: Workflow) -> None:
    sent = {"name": "New name", "description": "", "changes": "1"}
    assert send(designer, "/workflows/small/edit/", sent).status_code == 302
    assert Workflow.objects.get().name == "New name"
    stale = send(designer, "/workflows/small/edit/", sent | {"name": "Other"})
    assert stale.status_code == 409
    assert "Other" in text(stale)


def test_a_workflow_is_deleted_after_being_asked(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/delete/"
    assert "slug is free" in text(designer.get(path))
    assert send(designer, path, {"changes": "0"}).status_code == 409
    assert send(designer, path, {"changes": "1"}).status_code == 302
    assert designer.get("/workflows/small/").status_code == 404


# --- Preview ----------------------------------------------------------------------------------


@pytest.fixture
def chat() -> None:
    messages = [system("Be kind."), user("one"), assistant("two"), user("three")]
    conversation(*messages, public_id="chat", metadata=b'{"tier": "gold"}')


def test_a_preview_shows_what_is_kept_and_dropped_and_why(
    designer: Client, small: Workflow, chat: None
) -> None:
    page = text(designer.get("/workflows/small/preview/?node=answer&conversation=chat"))
    assert "2 kept" in page
    assert "2 dropped" in page
    assert "Be kind." in page
    assert "filter of the node" in page
    assert "Tokens it sees" in page


def test_a_preview_starts_with_the_newest_conversation_of_the_workflow(
    designer: Client, small: Workflow
) -> None:
    conversation(user("hello"), public_id="other")
    assert 'id="seen"' not in text(designer.get("/workflows/small/preview/?node=answer"))
    conversation(user("about this"), public_id="own", workflow="small")
    page = text(designer.get("/workflows/small/preview/?node=answer"))
    assert 'id="seen"' in page
    assert 'value="own"' in page


def test_another_node_comes_with_its_own_edges(designer: Client, small: Workflow) -> None:
    asked = "?chosen=1&node=answer&edges_of=start&edges=gone"
    page = text(designer.get(f"/workflows/small/preview/{asked}"))
    assert re.search(r'id="edge-go"[^>]* checked', page)
    none = text(designer.get("/workflows/small/preview/?chosen=1&node=answer&edges_of=answer"))
    assert re.search(r'id="edge-go"(?![^>]* checked)', none)


def test_a_pasted_context_is_previewed_with_its_changes(designer: Client) -> None:
    made(
        "small",
        {
            "name": "T",
            "nodes": [
                {
                    "id": "a",
                    "type": "llm",
                    "context_type": "transform",
                    "context_filter": {
                        "rules": [
                            {"type": "transform", "pattern": "name", "transform": "uppercase"},
                            {"type": "exclude", "pattern": "secret"},
                        ]
                    },
                }
            ],
            "edges": [],
        },
    )
    sent = {
        "node": "a",
        "context": '{"variables": {"name": "ada", "secret": "hush"}}',
        "messages": "",
    }
    page = text(send(designer, "/workflows/small/preview/", sent))
    assert re.search(r"<del.*ada.*</del>.*<ins.*ADA.*</ins>", page, re.S)
    assert "hush" in page
    assert "1 changed" in page
    assert Workflow.objects.get().draft_version == 1


def test_a_join_tells_its_clashes(designer: Client) -> None:
    rename: JsonValue = {
        "type": "transform",
        "transform_rules": [{"pattern": "x", "transform": "uppercase"}],
    }
    made(
        "small",
        {
            "name": "J",
            "nodes": [
                {"id": "a", "type": "start"},
                {"id": "b", "type": "start"},
                {"id": "j", "type": "join"},
            ],
            "edges": [
                {"id": "one", "type": "sequence", "from": "a", "to": "j"},
                {
                    "id": "two",
                    "type": "sequence",
                    "from": "b",
                    "to": "j",
                    "context_filter": rename,
                },
            ],
        },
    )
    sent = {
        "node": "j",
        "chosen": "1",
        "edges": ["one", "two"],
        "context": '{"variables": {"x": "a"}}',
    }
    assert "two wins over one" in text(send(designer, "/workflows/small/preview/", sent))


def test_a_node_that_would_be_refused_says_what_it_lacks(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/nodes/answer/"
    send(designer, path, opened(designer, path) | {"context_type": "llm_context"})
    sent = {"node": "answer", "context": "{}", "messages": "[]"}
    assert "would be refused" in text(send(designer, "/workflows/small/preview/", sent))


@pytest.mark.parametrize(
    "sent",
    [
        {"context": "{"},
        {"context": '{"variables": 3}'},
        {"messages": '{"role": "user"}'},
        {"messages": '[{"role": "robot", "content": "x"}]'},
        {"node": "gone"},
    ],
)
def test_a_preview_that_cannot_be_made_keeps_what_was_typed(
    designer: Client, small: Workflow, sent: dict[str, str]
) -> None:
    answer = send(designer, "/workflows/small/preview/", {"node": "answer", **sent})
    assert answer.status_code in (404, 422)
    if "context" in sent:
        assert "<textarea" in text(answer)


@pytest.mark.parametrize("query", ["conversation=gone", "conversation=chat&at=x"])
def test_a_conversation_that_is_not_there_is_named(
    designer: Client, small: Workflow, chat: None, query: str
) -> None:
    answer = designer.get(f"/workflows/small/preview/?node=answer&{query}")
    assert answer.status_code == 422
    assert "It cannot be shown" in text(answer)


# --- Roles and costs --------------------------------------------------------------------------

CHANGING = (
    "edit/",
    "delete/",
    "publish/",
    "reducers/",
    "add-node/",
    "add-edge/",
    "nodes/answer/",
    "nodes/answer/delete/",
    "edges/go/",
    "edges/go/delete/",
    "versions/1/restore/",
)


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER])
def test_who_may_not_change_is_offered_nothing_and_refused(role: Role, small: Workflow) -> None:
    services.publish(person(Role.DESIGNER), "small", 1)
    client = signed_in(role)
    assert "+new" not in text(client.get("/workflows/"))
    page = text(client.get("/workflows/small/"))
    assert all(f"/workflows/small/{path}" not in page for path in CHANGING)
    assert 'href="#node-answer"' in page
    for path in CHANGING:
        assert client.get(f"/workflows/small/{path}").status_code == 403
        assert client.post(f"/workflows/small/{path}").status_code == 403
    for path in ("versions/", "versions/1/", "diff/?from=1", "yaml/"):
        assert client.get(f"/workflows/small/{path}").status_code == 200
    allowed = client.get("/workflows/small/preview/").status_code
    assert allowed == (403 if role is Role.VIEWER else 200)


def test_a_foreign_workflow_is_not_found(small: Workflow) -> None:
    stranger = signed_in(Role.ADMIN, "elsewhere")
    for path in ("", "yaml/", "versions/", "diff/", "preview/", *CHANGING):
        assert stranger.get(f"/workflows/small/{path}").status_code == 404


def test_the_list_costs_as_many_queries_for_many_as_for_few(
    designer: Client, django_assert_max_num_queries: Any
) -> None:
    for number in range(30):
        made(f"w{number}", SMALL)
    with django_assert_max_num_queries(9):
        designer.get("/workflows/")


def test_reading_a_workflow_costs_few_queries(
    designer: Client, django_assert_max_num_queries: Any
) -> None:
    made("support", WORKFLOWS["support"])
    with django_assert_max_num_queries(8):
        designer.get("/workflows/support/")
    with django_assert_max_num_queries(10):
        designer.get("/workflows/support/nodes/draft/")
