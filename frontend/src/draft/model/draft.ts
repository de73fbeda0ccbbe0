// The draft of a page: what is typed in it, what the server has of that, and what to do next. Nothing
// here touches the page or the network: `step` takes an event and the time, and says what to do.
//
// What is typed is sent a moment later, and again until it is kept. Only what changed in this page is
// said. If another page of the same person was faster at the same place, what that typed is put aside
// and stays beside; if another page replaced what was typed here, this puts it beside before it goes.

import { keyOf, same, sameContent, type Content, type Value } from "./content";
import type { Answer, Operation, Patch } from "./protocol";
import type { Unsent } from "./unsent";

export const QUIET_MS = 700;
export const LARGE = 500_000; // characters from which on a text is sent less often
export const LARGE_QUIET_MS = 4000;
export const LONGEST_WAIT_MS = 20_000;

export type Wanted = "submit" | "take";
export type Line = "" | "saved" | "told" | "waits" | "unsent" | "out" | "foreign" | "refused";

/** A page as the server made it; by place, `given` are the marks of its changes, `typedAt` their numbers of the draft. */
export interface Shown {
  readonly execution: string;
  readonly version: number;
  readonly seq: number;
  readonly content: Content;
  readonly given: Readonly<Record<string, string>>;
  readonly typedAt: Readonly<Record<string, number>>;
  readonly mark: string;
}

/** What was typed before the page came is being sent. */
const LEFT: Sending = { content: { values: new Map(), text: null }, operations: [] };

interface Sending {
  readonly content: Content;
  readonly operations: readonly Operation[];
}

export interface Model {
  readonly shown: Shown;
  readonly raw: boolean;
  readonly now: Content;
  /** What the server has of what this page shows. */
  readonly known: Content;
  /** The number of the draft when this page spoke last of a place. */
  readonly mine: ReadonlyMap<string, number>;
  /** The last number that this page heard as its own. */
  readonly seq: number;
  readonly asides: ReadonlySet<string>;
  /** Places at which it was said, and of what, that another page replaced what was typed here. */
  readonly told: ReadonlyMap<string, Value | undefined>;
  readonly mark: string;
  readonly marks: number;
  readonly seed: string;
  readonly sending: Sending | null;
  /** What was typed in this tab before the page came, and of which it is not known that it is kept. */
  readonly left: Unsent | null;
  readonly due: number | null;
  readonly wait: number;
  readonly line: Line;
  readonly words: string;
  readonly count: number | null;
  readonly may: boolean;
  /** What waits until all is kept: the form that is sent, or what others applied that is taken in. */
  readonly wanted: "" | Wanted;
  readonly news: boolean;
  readonly fetching: boolean;
  readonly typed: number;
  readonly typedThen: number;
}

export type Event =
  | { readonly is: "typed"; readonly content: Content; readonly size: number }
  | { readonly is: "begin"; readonly left: Unsent | null }
  | { readonly is: "tick" | "hurry" | "news" | "leave" | "stays" }
  | { readonly is: "press"; readonly then: Wanted }
  | { readonly is: "answered"; readonly answer: Answer }
  | { readonly is: "heard"; readonly seq: number }
  | { readonly is: "fetched"; readonly page: Shown | null }
  | { readonly is: "taken"; readonly page: Shown }
  | { readonly is: "may"; readonly may: boolean };

export type Effect =
  | { readonly do: "send"; readonly patch: Patch }
  | { readonly do: "wake"; readonly at: number }
  | { readonly do: "tell"; readonly seq: number }
  | { readonly do: "kept" | "submit" | "take" | "unkept" | "fetch" | "show" | "panel" | "reload" }
  | { readonly do: "note"; readonly keys: readonly string[] };

type Stepped = readonly [Model, readonly Effect[]];

export function begun(shown: Shown, raw: boolean, seed: string): Model {
  return {
    shown,
    raw,
    now: shown.content,
    known: shown.content,
    mine: new Map(),
    seq: shown.seq,
    asides: new Set(),
    told: new Map(),
    mark: shown.mark,
    marks: 0,
    seed,
    sending: null,
    left: null,
    due: null,
    wait: QUIET_MS,
    line: "",
    words: "",
    count: null,
    may: true,
    wanted: "",
    news: false,
    fetching: false,
    typed: 0,
    typedThen: 0,
  };
}

/** True if something is typed that the server does not have. */
export function isUnkept(model: Model): boolean {
  return model.sending !== null || model.left !== null || !sameContent(model.now, model.known);
}

/** What this page says that the server does not know. */
export function operationsOf(model: Model): readonly Operation[] {
  const { now, known } = model;
  if (now.text !== null) return now.text === known.text ? [] : [{ op: "text", mark: model.mark, text: now.text, mine: model.mine.get(model.mark) ?? 0 }];
  const made: Operation[] = known.text === null ? [] : [{ op: "drop", mark: model.mark }];
  for (const [place, value] of now.values ?? []) {
    if (same(value, known.values?.get(place))) continue;
    if (model.asides.has(place)) made.push({ op: "aside", place });
    made.push({ op: "set", place, ...value, mine: model.mine.get(place) ?? 0 });
  }
  for (const place of known.values?.keys() ?? []) {
    if (now.values?.has(place)) continue;
    const mine = model.mine.get(place) ?? 0;
    if (!model.raw) made.push({ op: "revert", place, mine });
    else {
      if (model.asides.has(place)) made.push({ op: "aside", place });
      made.push({ op: "set", place, kind: "value", text: "", gone: true, mine });
    }
  }
  return made;
}

export function step(model: Model, event: Event, now: number): Stepped {
  switch (event.is) {
    case "begin":
      return event.left === null ? [model, []] : send({ ...model, left: event.left });
    case "typed":
      return typed(model, event.content, event.size, now);
    case "tick":
      return model.due !== null && now >= model.due ? send(model) : [model, []];
    case "hurry":
      return isUnkept(model) ? send(model) : [model, []];
    case "press":
      return isUnkept(model) ? send({ ...model, wanted: event.then }) : [model, [{ do: event.then }]];
    case "stays":
      return [{ ...model, wanted: "" }, []];
    case "leave":
      return left(model);
    case "news":
      return fetchIt({ ...model, news: true });
    case "heard":
      return event.seq === model.seq ? [model, []] : fetchIt({ ...model, news: true });
    case "may":
      return event.may && isUnkept(model) ? send({ ...model, may: true }) : [{ ...model, may: event.may }, []];
    case "answered":
      return answered(model, event.answer, now);
    case "fetched":
      return fetched(model, event.page);
    case "taken":
      return [{ ...shows(model, event.page), news: true }, []];
  }
}

function typed(model: Model, content: Content, size: number, now: number): Stepped {
  const quiet = size > LARGE ? LARGE_QUIET_MS : QUIET_MS;
  const mark = content.text !== null && !model.mark ? freshMark(model) : model.mark;
  const marks = mark === model.mark ? model.marks : model.marks + 1;
  const due = now + quiet;
  const after = { ...model, now: content, typed: model.typed + 1, mark, marks, due, wait: quiet };
  return [after, [{ do: "wake", at: due }]];
}

/** 16 hexadecimal digits that no other page has. */
function freshMark(model: Model): string {
  return model.seed + (model.marks + 1).toString(16).padStart(16 - model.seed.length, "0");
}

function send(model: Model): Stepped {
  if (model.sending !== null) return [{ ...model, due: null }, []]; // it continues with the answer
  if (!model.may) return waits({ ...model, due: null, line: "" });
  if (model.left !== null) return [{ ...model, due: null, sending: LEFT }, [{ do: "send", patch: model.left.patch }]];
  return sendNow(model, wholeOf(model) ?? operationsOf(model));
}

/** A text that became JSON and of which it is not known what it said before is read by the server. */
function wholeOf(model: Model): readonly Operation[] | null {
  if (model.now.text !== null || model.known.values !== null) return null;
  const members = [...(model.now.values ?? [])].map(([place, { text }]) => `${JSON.stringify(keyOf(place))}: ${text}`);
  return [{ op: "text", mark: model.mark, text: `{${members.join(", ")}}`, mine: 0 }];
}

function sendNow(model: Model, operations: readonly Operation[]): Stepped {
  if (!operations.length) return settled({ ...model, due: null, known: model.now }, []);
  const sending = { content: model.now, operations };
  return [{ ...model, due: null, sending }, [{ do: "send", patch: patchOf(model, operations) }]];
}

function patchOf({ shown }: Model, operations: readonly Operation[], leaves = false): Patch {
  const { execution, version, seq, given } = shown;
  return { execution, version, seen_seq: seq, operations, given, leaves };
}

function left(model: Model): Stepped {
  const patch = model.may ? unsent(model) : null;
  return [model, patch === null ? [] : [{ do: "send", patch }]];
}

/** What would be lost if the page went now, as a page says it that cannot ask again. */
export function unsent(model: Model): Patch | null {
  if (model.left !== null) return model.left.patch;
  if (!isUnkept(model)) return null;
  const operations = wholeOf(model) ?? operationsOf(model);
  return operations.length ? patchOf(model, operations, true) : null;
}

function answered(model: Model, answer: Answer, now: number): Stepped {
  const sent = model.sending;
  if (sent === null) return [model, []];
  const after = { ...model, sending: null };
  switch (answer.is) {
    case "kept":
      return sent === LEFT ? tookUp(after, answer) : kept(after, sent, answer, now);
    case "overtaken":
      return overtaken(after, sent, answer);
    case "refused": {
      // What cannot be kept from before does not hold up what is typed now.
      if (sent === LEFT) return send({ ...after, left: null, line: "refused", words: answer.detail });
      const due = answer.forbidden ? now + LONGEST_WAIT_MS : null;
      return waits({ ...after, line: "refused", words: answer.detail, due });
    }
    case "lost": {
      const wait = Math.min(model.wait * 2, LONGEST_WAIT_MS);
      const isPressed = model.wanted === "submit" || model.line === "unsent";
      return waits({ ...after, line: isPressed ? "unsent" : "waits", wait, due: now + wait });
    }
    default:
      return waits({ ...after, line: answer.is, due: now + LONGEST_WAIT_MS });
  }
}

/**
 * What is typed is not kept now: no page comes in the place of this one, but for who is signed out: the
 * form goes to the page where one signs in, and is sent again behind it.
 */
function waits(model: Model): Stepped {
  const effects: Effect[] = model.due === null ? [] : [{ do: "wake", at: model.due }];
  if (model.wanted === "submit" && model.line === "out") effects.push({ do: "submit" });
  if (model.wanted === "take") effects.push({ do: "unkept" });
  return [{ ...model, wanted: "" }, effects];
}

function kept(model: Model, sent: Sending, answer: Extract<Answer, { is: "kept" }>, now: number): Stepped {
  const mine = new Map(model.mine);
  for (const each of sent.operations) {
    if (each.op === "set" || each.op === "revert") mine.set(each.place, answer.seq);
    if (each.op === "text") mine.set(each.mark, answer.seq);
  }
  const words = answer.told || (model.asides.size ? model.words : "");
  const isOther = Boolean(words) || (model.seq > 0 && answer.seq > model.seq + 1);
  const beside = sent.operations.filter((each) => each.op === "beside");
  const after: Model = {
    ...model,
    mine,
    known: knownAfter(model, sent, beside.length > 0),
    mark: sent.content.text === null ? "" : model.mark,
    seq: answer.seq,
    count: answer.count,
    asides: new Set(),
    line: words ? "told" : "saved",
    words,
    news: model.news || isOther || beside.length > 0,
    wait: QUIET_MS,
  };
  const effects: Effect[] = [{ do: "tell", seq: answer.seq }];
  if (beside.length) effects.push({ do: "note", keys: [...after.told.keys()].map(keyOf) });
  if (isUnkept(after)) {
    if (after.wanted) return joined(effects, send(after));
    const due = now + QUIET_MS;
    return [{ ...after, due }, [...effects, { do: "wake", at: due }]];
  }
  return settled(after, effects);
}

/** What was typed before the page came is kept: the page shows it, if it is of the same execution. */
function tookUp(model: Model, { seq, count, told }: Extract<Answer, { is: "kept" }>): Stepped {
  const isHere = model.left?.patch.execution === model.shown.execution;
  const after: Model = { ...model, left: null, line: told ? "told" : "saved", words: told, wait: QUIET_MS };
  if (!isHere) return send(after);
  const here: Model = { ...after, count, seq: Math.max(seq, model.seq), news: true };
  const effects: Effect[] = [{ do: "tell", seq }];
  if (model.raw && sameContent(model.now, model.known)) return [here, [...effects, { do: "reload" }]];
  return joined(effects, send(here));
}

function knownAfter(model: Model, sent: Sending, isBeside: boolean): Content {
  if (isBeside) return model.known;
  const { values, text } = sent.content;
  return text === null ? { values, text } : { values: model.known.values, text };
}

/** All is kept: who pressed a button continues, and what is new is fetched. */
function settled(model: Model, effects: readonly Effect[]): Stepped {
  if (model.wanted) return [{ ...model, wanted: "" }, [...effects, { do: "kept" }, { do: model.wanted }]];
  return joined([...effects, { do: "kept" }], fetchIt(model));
}

function joined(before: readonly Effect[], [model, effects]: Stepped): Stepped {
  return [model, [...before, ...effects]];
}

/** What another page changed is put aside; what this page only took back stays as the other has it. */
function overtaken(model: Model, sent: Sending, { changed, texts, detail }: Extract<Answer, { is: "overtaken" }>): Stepped {
  const keys = new Set(changed.map(keyOf));
  const isChanged = (place: string): boolean => (model.raw ? keys.has(keyOf(place)) : changed.includes(place));
  const asides = new Set(model.asides);
  const values = new Map(model.known.values ?? []);
  for (const each of sent.operations) {
    if (each.op === "set" && isChanged(each.place)) asides.add(each.place);
    if (each.op === "revert" && isChanged(each.place)) values.delete(each.place);
  }
  const isMet = texts.includes(model.mark);
  return send({
    ...model,
    asides,
    known: { ...model.known, values: model.known.values && values },
    mark: isMet ? freshMark(model) : model.mark,
    marks: isMet ? model.marks + 1 : model.marks,
    words: detail,
    news: true,
  });
}

/** The page as the server would make it now is asked for when nothing is unkept here. */
function fetchIt(model: Model): Stepped {
  if (!model.news || model.fetching || !model.may || model.sending !== null) return [model, []];
  if (!sameContent(model.now, model.known)) return send(model);
  return [{ ...model, news: false, fetching: true, typedThen: model.typed }, [{ do: "fetch" }]];
}

function fetched(model: Model, page: Shown | null): Stepped {
  const after = { ...model, fetching: false };
  if (page === null || page.execution !== model.shown.execution) return fetchIt(after);
  if (model.typed !== model.typedThen) return fetchIt({ ...after, news: true });
  const over = writtenOver(after, page);
  if (over.length) {
    const told = new Map(model.told);
    for (const { place } of over) told.set(place, page.content.values?.get(place));
    const operations = over.map(({ place, value }): Operation => ({ op: "beside", place, ...value, mine: 0 }));
    return sendNow({ ...after, told }, operations);
  }
  if (model.raw) return joined([{ do: "panel" }], fetchIt(after));
  return joined([{ do: "show" }], fetchIt(shows(after, page)));
}

/**
 * What was typed here and of which another page says something else by now. What nobody typed since
 * differs only because the server merged it with what someone else applied.
 */
function writtenOver(model: Model, page: Shown): { place: string; value: Value }[] {
  const keys = new Set(Object.keys(page.given).map(keyOf));
  const found: { place: string; value: Value }[] = [];
  for (const [place, at] of model.mine) {
    const [value, theirs] = [model.known.values?.get(place), page.content.values?.get(place)];
    const isGiven = model.raw ? keys.has(keyOf(place)) : place in page.given;
    const typed = model.raw ? Object.entries(page.typedAt).find(([there]) => keyOf(there) === keyOf(place))?.[1] : page.typedAt[place];
    if (value === undefined || !isGiven || same(value, theirs) || (typed !== undefined && typed <= at)) continue;
    if (model.told.has(place) && same(model.told.get(place), theirs)) continue;
    found.push({ place, value });
  }
  return found;
}

function shows(model: Model, page: Shown): Model {
  const mine = new Map(model.mine);
  for (const place of mine.keys()) {
    if (!same(page.content.values?.get(place), model.known.values?.get(place))) mine.delete(place);
  }
  return {
    ...model,
    shown: page,
    now: page.content,
    known: page.content,
    mark: page.mark,
    seq: Math.max(model.seq, page.seq),
    mine,
  };
}
