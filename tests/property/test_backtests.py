"""Laws of backtests: a replay gives what entering the node then would, in any process."""

from hypothesis import given
from hypothesis import strategies as st

from conversations.domain.memory import MemoryLog
from conversations.domain.view import View
from tests.property.conversation_strategies import budgets
from tests.property.test_budgets import talks
from workflows.domain.backtests.policies import PolicyConfig, policies_of
from workflows.domain.backtests.presets import PRESETS, preset
from workflows.domain.backtests.recorded import Recorded
from workflows.domain.backtests.replay import replay
from workflows.domain.context.prompt_context import Messages, NodeInput, PromptContext
from workflows.domain.document.graph import Document
from workflows.domain.filters.context_filter import Operations
from workflows.domain.running.flow import preview
from workflows.domain.running.plan import Plan


@st.composite
def operations(draw: st.DrawFn) -> Operations:
    """The operations of a preset, or a budget of any kind."""
    if draw(st.booleans()):
        return preset(draw(st.sampled_from(sorted(PRESETS))))
    pairing = draw(st.sampled_from(["warn", "keep", "drop"]))
    listed = [{"operation": "budget", "budget": draw(budgets()), "pairing": pairing}]
    found = PolicyConfig.model_validate({"messages": listed}).messages
    assert found is not None
    return found


def node_with(listed: Operations) -> Plan:
    """A workflow with one node that has the operations as its filter."""
    wanted = {
        "messages": [
            each.model_dump(mode="json", exclude_unset=True, exclude_none=True) for each in listed
        ],
        "default_behavior": "pass",
    }
    nodes = [{"id": "ask", "type": "any", "context_filter": wanted}]
    return Plan(Document.model_validate({"name": "x", "nodes": nodes, "edges": []}))


@given(talks(), operations())
def test_a_replay_is_what_a_node_sees_that_is_entered_at_each_call(
    log: MemoryLog, listed: Operations
) -> None:
    drafts = [log.entry(index).draft for index in range(len(log))]
    recorded = Recorded.of_drafts("talk", drafts)
    plan = node_with(listed)
    rows = policies_of([PolicyConfig(messages=listed), PolicyConfig(node="ask")], plan)
    for call in replay(recorded, rows):
        by_messages, by_node = call.by_policy[2:]
        assert by_messages == by_node
        before = MemoryLog(drafts[: call.index])
        node_input = NodeInput(PromptContext(), Messages(before, View([(0, call.index)])))
        entered = preview(plan, "ask", node_input, tokens=before.tokens)
        assert by_node.sent == entered.tokens_after
        assert by_node.messages == len(entered.entered.node_input.messages.view)


@given(talks(), operations())
def test_what_is_cached_is_no_more_than_both_calls_sent(log: MemoryLog, listed: Operations) -> None:
    drafts = [log.entry(index).draft for index in range(len(log))]
    rows = policies_of([PolicyConfig(messages=listed)])
    sent = 0
    for call in replay(Recorded.of_drafts("talk", drafts), rows):
        full, _, found = call.by_policy
        assert 0 <= found.cached <= min(found.sent, sent)
        assert found.lost == max(sent - found.cached, 0) or call.number == 0
        assert full.lost == 0
        sent = found.sent
