"""What rules say is shown in the reader's language, and is English for everyone else."""

import ast
import copy
import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import translation

from checkpoints.domain.status import Status, require
from conversations.domain.configs import read_operation
from conversations.domain.revisions import Seen, require_seen
from conversations.store.damage import SENTENCES as DAMAGES
from ctxadmin.http.problems import TITLES
from ctxadmin.lib.contract import did_you_mean
from ctxadmin.lib.errors import ContextError, ValidationFailed
from ctxadmin.lib.json_bytes import dumps, loads_strict
from ctxadmin.lib.sentence import Sentence, say
from ctxadmin.ui.forms.wording import translate_error
from ctxadmin.ui.sentences import as_sentence, translated
from scripts.catalogues import APPS, ROOT
from workflows.domain.checks import problems
from workflows.domain.conditions.condition import compile_condition
from workflows.domain.document import graph, yaml_io

GAP = re.compile(r"\{(\w+)\}")
HAN = re.compile(r"[\u4e00-\u9fff]")


def refusal(rule: Callable[..., object], *arguments: Any) -> ContextError:
    with pytest.raises(ContextError) as caught:
        rule(*arguments)
    return caught.value


def in_chinese(text: str) -> str:
    with translation.override("zh-hans"):
        return translated(text)


def calls() -> Iterator[tuple[Path, ast.Call]]:
    """Every call of ``say`` in the code."""
    for path in sorted(file for app in APPS for file in (ROOT / app).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name("say")):
                    yield path, node


def test_every_sentence_is_a_literal_with_a_value_for_each_gap() -> None:
    """Else the catalogues would not have it: they are made from what stands in the call."""
    wrong = []
    found = list(calls())
    for path, call in found:
        match call.args:
            case [ast.Constant(str(template))]:
                gaps = set(GAP.findall(template))
            case _:
                gaps = {"no literal"}
        if gaps != {each.arg for each in call.keywords}:
            wrong.append(f"{path.relative_to(ROOT)}:{call.lineno}")
    assert wrong == []
    assert len(found) > 100


def test_only_say_makes_sentences() -> None:
    made = [
        path.name
        for app in APPS
        for path in (ROOT / app).rglob("*.py")
        if re.search(r"\bSentence\(", path.read_text(encoding="utf-8"))
    ]
    assert made == ["sentence.py"]


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))]
)
def test_a_copy_of_a_sentence_is_one(again: Callable[[Sentence], Sentence]) -> None:
    text = say("there is no node {name}", name=say("unknown field"))
    made = again(text)
    assert (made, made.template, made.values) == (text, text.template, text.values)
    assert type(made) is Sentence


def test_a_sentence_is_its_english_text_for_programs() -> None:
    text = say("{n} messages are visible, not {expected}.", n=2, expected=3)
    with translation.override("zh-hans"):
        assert loads_strict(dumps({"detail": text})) == {"detail": "2 messages are visible, not 3."}
        assert f"{text}" == str(text) == "2 messages are visible, not 3."


def test_english_readers_get_the_text_of_the_contract() -> None:
    text = say("there is no node {name}", name="{0}")
    assert translated(text) == text == "there is no node {0}"


def test_a_sentence_is_translated_with_the_sentences_in_its_gaps() -> None:
    rest = say("{what}, the default is block", what=say("no rule matches it"))
    assert in_chinese(say("role {role}: {rest}", role="user", rest=rest)) == (
        "角色 user：没有规则匹配它，默认为阻止"
    )


def test_a_sentence_that_stands_alone_begins_with_a_capital_unless_with_a_name() -> None:
    assert as_sentence(say("a workflow needs a start node")) == "A workflow needs a start node"
    named = say("{name} cannot be reached from a start node", name="send")
    assert as_sentence(named) == "send cannot be reached from a start node"
    assert as_sentence(say("pass_none passes the template only"))[0] == "p"
    assert as_sentence("data of somebody") == "data of somebody"


def test_data_stays_as_it_is_though_it_reads_like_a_sentence() -> None:
    assert in_chinese("unknown field") == "unknown field"
    assert in_chinese(say("there is no node {name}", name="unknown field")) == (
        "没有节点 unknown field"
    )
    assert in_chinese(say("there is no node {name}", name="{name}{0}")) == "没有节点 {name}{0}"


# The Chinese is what pages showed before sentences had templates.
@pytest.mark.parametrize(
    ("rule", "arguments", "english", "chinese"),
    [
        (
            loads_strict,
            [b'{"a": 1, "a": 2}'],
            "This JSON is not accepted: the key 'a' occurs twice in one object.",
            "此 JSON 不被接受：键 'a' 在同一个对象中出现两次。",
        ),
        (
            require_seen,
            [Seen(revision=1), 2, 0],
            "The current revision is 2, not 1.",
            "当前修订版是 2，不是 1。",
        ),
        (
            require_seen,
            [Seen(count=3), 2, 4],
            "4 messages are visible, not 3.",
            "可见的消息是 4 条，不是 3 条。",
        ),
    ],
)
def test_a_refusal_is_reported_in_the_readers_language(
    rule: Callable[..., object], arguments: list[Any], english: str, chinese: str
) -> None:
    error = refusal(rule, *arguments)
    assert (error.detail, in_chinese(error.detail)) == (english, chinese)


@pytest.mark.parametrize(
    "text",
    [
        "- 1",
        "odd: 1",
        "nodes: [1]\nnodes: []",
        "nodes: !odd []",
        "<<: {}",
        "1: 2",
        "name: *gone",
        "name: .inf",
        "name: 99999999999999999999",
        "--- {}\n--- {}",
    ],
)
def test_yaml_is_refused_in_the_readers_language(text: str) -> None:
    said = in_chinese(refusal(yaml_io.load, text).detail)
    assert HAN.search(said)
    assert not re.search("line|column|key|number|mapping|read", said)


def test_a_refused_status_is_reported_with_the_way_out_in_the_readers_language() -> None:
    said = in_chinese(refusal(require, Status.RUNNING, {Status.PAUSED}, say("A restore")).detail)
    assert (
        said
        == "“恢复”要求执行的状态为 PAUSED；该执行的状态为 RUNNING。暂停会使它停在下一个检查点。"
    )


def test_the_faults_of_a_rename_are_reported_in_the_readers_language() -> None:
    renames = [("a*", ""), ("a*", "b**"), ("a*", " b"), ("a", "b*"), ("a*", "b")]
    for pattern, rename in renames:
        rule = {"pattern": pattern, "rename": rename}
        found = problems.check(graph.read(_with_edge_filter(rule)))
        assert any("rename" in each.pointer for each in found), rule
        for each in found:
            assert HAN.search(in_chinese(each.message)), each.message


def _with_edge_filter(rule: dict[str, str]) -> dict[str, object]:
    edge = {"id": "e", "type": "sequence", "from": "a", "to": "b"}
    edge_filter = {"type": "transform", "transform_rules": [rule]}
    nodes = [{"id": "a", "type": "llm"}, {"id": "b", "type": "llm"}]
    return {"name": "w", "nodes": nodes, "edges": [{**edge, "context_filter": edge_filter}]}


@pytest.mark.parametrize(
    ("data", "english", "chinese"),
    [
        ({"operation": "truncate", "truncate": {}}, None, "中需要填一个"),
        ({"operation": "truncate"}, "this field is required", "此字段必填"),
        ({"operation": "clear", "clear": {"odd": 1}}, "unknown field", "未知字段"),
        (
            {"operation": "truncate", "truncate": {"keep_first": -1}},
            "this must be 0 or more",
            "这里不能小于 0",
        ),
        (
            {"operation": "truncate", "truncate": {"range": {"start": 2, "end": 1}}},
            "end must be larger than start",
            "终点必须大于起点",
        ),
    ],
)
def test_what_a_model_refuses_is_reported_in_the_readers_language(
    data: object, english: str | None, chinese: str
) -> None:
    (problem,) = refusal(read_operation, data, "").problems
    assert english is None or problem.message == english
    assert chinese in in_chinese(problem.message)


def test_a_condition_is_reported_with_the_place_of_its_fault() -> None:
    (problem,) = refusal(compile_condition, "context.a ===").problems
    assert problem.message == (
        "line 1, column 14: expected a name or a value, found the end of the condition"
    )
    assert not re.search("[a-z]", in_chinese(problem.message))


@pytest.mark.parametrize(
    "text", ["", "a.b", "!", "context.a = 1", "context.a.b.has(1)", "'x", "012", "1 < 2 < 3", "(1"]
)
def test_a_condition_is_reported_with_a_hint_in_one_language(text: str) -> None:
    (problem,) = refusal(compile_condition, text).problems
    hint = dict(problem.extra)["hint"]
    assert isinstance(hint, str)
    for said in (problem.message, hint):
        assert not said or HAN.search(in_chinese(said))
        assert not HAN.search(said)


def test_a_suggestion_is_reported_with_what_it_is_for() -> None:
    text = did_you_mean(say("there is no reducer {name}", name="'apend'"), "apend", ["append"])
    assert text == "there is no reducer 'apend'; did you mean 'append'?"
    assert in_chinese(text) == "没有合并策略 'apend'；你是指 'append' 吗？"


def test_damage_is_reported_for_each_kind_of_row() -> None:
    for (what, how), sentence in DAMAGES.items():
        text = sentence("7")
        assert text in (
            f"The stored {what} 7 {how}.",
            f"The stored {what} 7 are damaged.",
        )
        assert not re.search("[A-Za-z]", in_chinese(text))


def test_the_titles_of_refusals_are_reported() -> None:
    assert not {code for code, title in TITLES.items() if in_chinese(title) == title}


def test_the_problems_of_a_draft_are_reported() -> None:
    loop = {
        "name": "w",
        "nodes": [{"id": "a", "type": "llm"}, {"id": "b", "type": "llm"}],
        "edges": [
            {"id": "e", "type": "sequence", "from": "a", "to": "b"},
            {"id": "f", "type": "sequence", "from": "b", "to": "nowhere"},
            {"id": "g", "type": "sequence", "from": "b", "to": "a"},
        ],
    }
    found = problems.check(graph.read(loop))
    assert {in_chinese(each.message) for each in found} == {
        "没有节点 'nowhere'",
        "每个节点都有入边，因此以第一个节点为起点：a",
        "循环：a → b → a",
    }


def test_a_form_calls_members_by_their_labels_in_every_language() -> None:
    options = say("one of {options} is required", options="keep_first, keep_last")
    with translation.override("zh-hans"):
        told = translate_error(options, {"keep_first": "保留前几条"})
    assert told.endswith("。")
    assert "“保留前几条”" in told


def test_the_contract_says_the_same_whoever_reads() -> None:
    with translation.override("zh-hans"), pytest.raises(ValidationFailed) as caught:
        graph.read({"name": "", "nodes": 1, "edges": []})
    assert caught.value.problems[0].message == "this must be a list"


SHOWS = ("ctxadmin/ui", "checkpoints/editing", *(f"{app}/pages" for app in APPS))
# The calls that take a sentence: they show it in a form, raise it again, keep or check it.
TAKES = re.compile(
    r"translated|as_sentence|translate_error|over_budget_text|FieldProblem|Problem|ValidationFailed|at|_Faulty"
    r"|Duplicate|len|_problem|_notice_words"
)


PASSED_ON = ROOT / "ctxadmin/ui/forms/places.py"  # to translate_error, some lines below


def untranslated(path: Path) -> Iterator[str]:
    """The lines of a page that use the text of a refusal as it is."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    taken: set[ast.AST] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(name) | ast.Attribute(attr=name)) if TAKES.fullmatch(name):
                taken |= set(ast.walk(node))
            case ast.Compare():
                taken |= set(ast.walk(node))
    for node in ast.walk(tree):
        match node:
            case (
                ast.Attribute(value=ast.Name("error" | "refusal"), attr="detail")
                | ast.Attribute(
                    value=ast.Name("problem" | "notice") | ast.Subscript(), attr="message"
                )
            ) if node not in taken:
                yield f"{path.relative_to(ROOT)}:{node.lineno}"


def test_pages_show_no_refusal_as_the_rule_says_it() -> None:
    pages = sorted(file for folder in SHOWS for file in (ROOT / folder).rglob("*.py"))
    assert len(pages) > 100
    found = [each for path in pages if path != PASSED_ON for each in untranslated(path)]
    assert found == []
