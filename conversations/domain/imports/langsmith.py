"""Runs of LangSmith: the messages that a model got, and its answer."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from pydantic import JsonValue

from conversations.domain.imports.chats import append_chat, append_list, is_message
from conversations.domain.imports.reasons import ANOTHER_ANSWER, ANOTHER_LIST, NO_MESSAGE_FOUND
from conversations.domain.imports.source_values import SourceValue
from conversations.domain.imports.traces import TraceBudget, Traced, whole_conversations
from conversations.domain.imports.transcript import Fields, ImportedConversation, Transcript
from ctxadmin.lib.sentence import say

NAME: Final = "langsmith"
_THREADS: Final = ("thread_id", "session_id", "conversation_id")
_CHILDREN: Final = ("child_runs", "children")
_ANSWERS: Final = ("output", "message", "messages", "answer", "result", "response")


def recognise(value: JsonValue) -> bool:
    """Recognizes a run, a list of runs, or an object with ``runs``."""
    if isinstance(value, dict) and "runs" in value and "run_type" not in value:
        value = value["runs"]
    if isinstance(value, list):
        return bool(value) and all(map(_is_run, value))
    return _is_run(value)


def _is_run(value: JsonValue) -> bool:
    return isinstance(value, dict) and "run_type" in value and "inputs" in value


def read_traces(places: Sequence[SourceValue]) -> list[ImportedConversation]:
    """Returns the conversations of runs, child runs included."""
    found: list[Traced] = []
    without: list[SourceValue] = []
    budget = TraceBudget()
    for run in _runs(places):
        traced = _traced(run)
        budget.spend(run, 0 if traced is None else len(traced.transcript))
        if traced is None:
            without.append(run)
        else:
            found.append(traced)
    if not found:
        raise places[0].refusal(say("no run has messages"))
    return whole_conversations(found, without, "run")


def _runs(places: Iterable[SourceValue]) -> Iterator[SourceValue]:
    """Yields the runs of some values and the runs within them, at any depth."""
    for place in places:
        if isinstance(place.value, list) or place.children is not None:
            yield from _runs(place.items())
        elif "run_type" in place.fields():
            yield place
            yield from _runs(place.get(*_CHILDREN).items_if_any())
        elif "runs" in place.fields():
            yield from _runs(place.get("runs").items())
        else:
            raise place.refusal(say("a run has a run_type"))


def _traced(run: SourceValue) -> Traced | None:
    """Returns the messages of a run; None without any."""
    transcript = Transcript(NAME, run)
    inputs, outputs = run.get("inputs"), run.get("outputs")
    fields = _append_inputs(inputs, transcript)
    if outputs.value is not None:
        state = _state(run, outputs, transcript)
        if state is not None:
            transcript = state
        else:
            fields = fields.merge(_append_outputs(outputs, transcript))
    if not len(transcript):
        return None
    known = ("inputs", "outputs", "events", "serialized", "metadata", *_CHILDREN)
    values = {**fields.values, **run.unknown_fields(*known), **_metadata(run)}
    tools = run.get("extra").get("invocation_params").get("tools")
    return Traced(run, transcript, Fields(values, fields.tools or tools), _group(run))


def _metadata(run: SourceValue) -> dict[str, JsonValue]:
    own = run.get("metadata").value
    return {"metadata": own} if isinstance(own, dict) else {}


def _group(run: SourceValue) -> str:
    """Returns the thread of a run, else its trace."""
    for holder in (run.get("extra").get("metadata"), run.get("metadata")):
        thread = holder.get(*_THREADS).value
        if isinstance(thread, str) and thread:
            return f"thread {thread}"
    return f"trace {run.get('trace_id', 'id').value}"


def _append_inputs(inputs: SourceValue, transcript: Transcript) -> Fields:
    messages = inputs.get("messages")
    first = messages.value[0] if isinstance(messages.value, list) and messages.value else None
    if isinstance(first, list):
        for number, batch in enumerate(messages.items()):
            if number:
                transcript.report_omission(batch, "inputs/messages", ANOTHER_LIST)
            else:
                append_list(batch, transcript)
        return Fields()
    fields = append_chat(inputs, transcript)
    if fields is not None:
        tools = fields.tools if fields.tools is not None and fields.tools.value else None
        return Fields({}, tools)
    if isinstance(messages.value, list) and messages.value:
        append_list(messages, transcript)
        return Fields({}, inputs.get("tools") if inputs.get("tools").value else None)
    prompts = inputs.get("prompts")
    if isinstance(prompts.value, list):
        for prompt in islice(prompts.items(), 1):
            transcript.append(prompt, {"role": "user", "content": prompt.text()})
            transcript.report_conversion("prompts", "role: user")
    return Fields()


def _state(run: SourceValue, outputs: SourceValue, transcript: Transcript) -> Transcript | None:
    """Adds the messages of an output that begins with the input, as states of graphs do."""
    messages = outputs.get("messages")
    if not isinstance(messages.value, list) or len(messages.value) <= len(transcript):
        return None
    state = Transcript(NAME, run)
    append_list(messages, state)
    given = transcript.message_keys()
    return state if state.message_keys()[: len(given)] == given else None


def _append_outputs(outputs: SourceValue, transcript: Transcript) -> Fields:
    generations = outputs.get("generations")
    if isinstance(generations.value, list):
        _append_generations(generations, transcript)
        return Fields()
    if append_chat(outputs, transcript) is not None:
        return Fields()
    for place in (outputs, *(outputs.get(name) for name in _ANSWERS)):
        if is_message(place.value):
            append_list(SourceValue(None, children=(place,)), transcript)
            return Fields()
        if place.value and append_chat(place, transcript) is not None:
            return Fields()
    transcript.report_omission(outputs, "outputs", NO_MESSAGE_FOUND)
    return Fields()


def _append_generations(generations: SourceValue, transcript: Transcript) -> None:
    first = next(generations.items(), generations)
    answers = first if first is not generations and isinstance(first.value, list) else generations
    for number, answer in enumerate(answers.items()):
        if number:
            transcript.report_omission(answer, "generations", ANOTHER_ANSWER)
        elif answer.get("message").value is not None:
            one = answer.get("message")
            append_list(SourceValue([one.value], children=(one,)), transcript)
        elif isinstance(answer.get("text").value, str):
            message: JsonValue = {"role": "assistant", "content": answer.get("text").value}
            transcript.append(answer, message)
