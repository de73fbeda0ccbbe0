// The state of the editor: the document, its history, the selection, the status of saving.

import { createStore, type StoreApi } from "zustand/vanilla";
import type { Costs, EdgeWords, FieldError, Fields, NodeWords, Problem, Words } from "./io/server";
import type { Mark, Marks, Setup } from "./io/setup";
import type { WhatIf } from "./io/what_if";
import { wordsWith } from "./io/summary_requests";
import { fixed, type Places } from "./model/arrangement";
import { type Changes, changesBetween, editOf, sides } from "./model/changes";
import type { Chosen } from "./model/commands";
import type { Key, WorkflowDocument } from "./model/document";
import { normalised, same } from "./model/document";
import type { Edit } from "./model/edits";
import { amend, type History, NOTHING_DONE, redo, settle, type Share, take, undo } from "./model/history";
import { type MadeIds, madeIn, NONE_MADE, unsaved } from "./model/made_ids";
import { asksMore, type Choices, type Conflict, merge, nameOf } from "./model/merge";
import { type Overtaken, type Own, overtakenIn, withSave } from "./model/overtaken";
import { placesOf } from "./model/places";
import { type KnownNames, NO_NAMES } from "./model/suggestions";
import type { ElementKind, Value } from "./model/form_edits";
import { askedAgain, olderAgain, olderOf } from "./clashes";
import { reissued, retake, stillThere, stillTyped } from "./state_steps";
import { t } from "./texts";

export type Saving =
  | { readonly kind: "saved" }
  | { readonly kind: "waiting" }
  | { readonly kind: "saving" }
  | { readonly kind: "offline"; readonly again: number }
  | { readonly kind: "signed-out" }
  | { readonly kind: "refused"; readonly why: string };

/** What the server has, as far as this page knows. */
interface Base {
  readonly document: WorkflowDocument;
  readonly version: number;
}

/** Who saved a version of the draft; `isMe` is another tab of the person of this page. */
export interface Author {
  readonly name: string;
  readonly isMe: boolean;
  readonly version: number;
}

/** What someone else changed after this page had saved it, and who did; null if nobody was named. */
export interface OvertakenBy extends Overtaken {
  readonly by: Author | null;
}

/** Elements that were changed on two sides, which a person decides. */
export interface Clash {
  readonly base: WorkflowDocument;
  readonly mine: WorkflowDocument;
  readonly theirs: WorkflowDocument;
  /** Of the draft that the others saved; null if the sides are this page and an older one. */
  readonly version: number | null;
  readonly conflicts: readonly Conflict[];
}

/** What is typed into a form and not in the document: not read yet, or it says no element. */
export interface Typed {
  readonly kind: ElementKind;
  readonly key: Key;
  readonly fields: Fields;
  /** The element that the form showed before it was typed into. */
  readonly base: Value;
  /** The element in the document when it was typed into last; without it, the same one. */
  readonly over?: Value;
  /** Steps of one touch are one in the history. */
  readonly touch: string;
  readonly errors: readonly FieldError[];
  /** Read, and it says no element: it waits for a person. */
  readonly isRead: boolean;
}

export function formName(kind: ElementKind, key: Key): string {
  return `${kind} ${key}`;
}

export interface Tokens {
  readonly before: number;
  readonly after: number;
}

export interface State {
  readonly document: WorkflowDocument;
  readonly history: History;
  readonly base: Base;
  /** The number of the published version that is shown; null for the draft. */
  readonly published: number | null;
  /** The version of the draft of which the page heard last, each time it learns of one. */
  readonly heard: { readonly version: number };
  readonly chosen: Chosen;
  readonly saving: Saving;
  readonly clash: Clash | null;
  /** A conflict with older changes that was put off before the one that is asked about; it is asked about next. */
  readonly olderClash: Clash | null;
  /** The conflict that is decided later; what the others change in it, or another one, is asked about at once. */
  readonly postponed: Clash | null;
  /** What this page saved lately, and what of it someone else has changed since. */
  readonly own: readonly Own[];
  readonly overtaken: readonly OvertakenBy[];
  /** Who saved the draft last, as far as the page has heard; null if nobody was named. */
  readonly by: Author | null;
  readonly words: Words | null;
  /** What policies would have cost on past conversations; null until it is told. */
  readonly costs: Costs | null;
  readonly tokens: { readonly [key: Key]: Tokens };
  /** What the server refused to save, until the next edit. */
  readonly refused: readonly Problem[];
  /** Forms that are ahead of the document, by kind and key; see `formName`. */
  readonly typed: { readonly [name: string]: Typed };
  /** Where cards stand that have no position of their own; no part of the document. */
  readonly places: Places;
  /** Why what is typed cannot be read now; it is tried again. */
  readonly readingFails: "offline" | "signed-out" | null;
  /** The field of a number that is none, and so not in the draft; "" without one. */
  readonly wrongNumber: string;
  readonly whatIf: WhatIf | null;
  /** What the panel shows while nothing is chosen. */
  readonly part: Part;
  /** Of a canvas that is only looked at. */
  readonly marks: Marks | null;
  readonly said: string;
  /** Nodes that were just added: the canvas moves to them if they are out of sight. */
  readonly followed: readonly Key[];
  /** How often auto layout has placed all nodes: the canvas then shows the graph as when it opens. */
  readonly arranged: number;
  /** The node of a problem that was opened, or both of its edge: the canvas moves to them, and near enough to read them. */
  readonly zoomTarget: readonly Key[];
  /** Nodes that were added here and have no name yet: their ids are made of it. */
  readonly unnamed: readonly Key[];
  /** What was added here and is not saved yet, under ids that nobody typed. */
  readonly made: MadeIds;
  /** What was sent since the last save and got no answer. */
  readonly maybeSaved: readonly WorkflowDocument[];
  /** The new ids of what was added here under ids that someone else's new elements have, as it happened last; by the former names of their forms. */
  readonly reissued: { readonly [name: string]: Key };
  /** The input that takes the focus when the next form is here. */
  readonly wanted: string;
  /** The problem that was opened last, by `nameOfProblem`. */
  readonly visited: string;
  /** What the conversation of the preview has, for suggestions. */
  readonly known: KnownNames;
  readonly mayChange: boolean;
  /** Whether the sheet is open that publishes the draft. */
  readonly publishing: boolean;
}

export interface Actions {
  /** One step of the history; steps with one `touch` in a row are one. */
  edit(edit: Edit, words: string, touch?: string): void;
  /** What follows from the step of a touch: it is undone with it, whatever was done since. */
  amend(edit: Edit, words: string, touch: string): void;
  settle(): void;
  /** How much of the last step was undone: what others have changed since stays. */
  undo(): Share;
  redo(): Share;
  choose(chosen: Partial<Chosen>): void;
  /** Take in what someone else saved; false if it has to be decided by a person first. */
  receive(theirs: Base): boolean;
  /** Take in changes of an older document, which a page left unsaved or a form says; false as for `receive`. */
  bringBack(changes: Changes, words?: string, touch?: string): boolean;
  decide(choices: Choices): void;
  /** Ask again about a conflict that was put off, as both sides are by now. */
  resolve(): void;
  saved(base: Base): void;
  /** This was sent, and nobody knows whether it was saved. */
  sent(document: WorkflowDocument): void;
  set(part: Partial<Omit<State, "document" | "history" | "base" | "chosen">>): void;
  keepTyped(name: string, typed: Typed | null): void;
  /** For those who hear the page. */
  say(words: string): void;
}

export type Editor = State & Actions;
export type EditorStore = StoreApi<Editor>;

export type Part = "problems" | "workflow" | "reducers" | "what-if";

export const NOTHING: Chosen = { nodes: [], edges: [] };

export function editorStore(setup: Pick<Setup, "document" | "version" | "places" | "may_change" | "watched"> & Partial<Pick<Setup, "published" | "drawn">>): EditorStore {
  const document = normalised(setup.document);
  const told = (setup.watched ?? setup.drawn)?.words;
  const store = createStore<Editor>()((set, get) => ({
    document,
    history: NOTHING_DONE,
    base: { document, version: setup.version },
    published: setup.published ?? null,
    heard: { version: setup.version },
    chosen: NOTHING,
    saving: { kind: "saved" },
    clash: null,
    olderClash: null,
    postponed: null,
    own: [],
    overtaken: [],
    by: null,
    words: told ? wordsWith(null, told, document) : null,
    costs: null,
    whatIf: null,
    part: "problems",
    marks: (setup.watched ?? setup.drawn)?.marks ?? null,
    tokens: {},
    refused: [],
    typed: {},
    places: setup.places,
    readingFails: null,
    wrongNumber: "",
    said: "",
    followed: [],
    arranged: 0,
    zoomTarget: [],
    unnamed: [],
    made: NONE_MADE,
    maybeSaved: [],
    reissued: {},
    wanted: "",
    visited: "",
    known: NO_NAMES,
    mayChange: setup.may_change,
    publishing: false,

    edit(edit, words, touch = "") {
      if (!get().mayChange) return;
      set((state) => {
        const whole = fixed(state.document, edit, placesOf(state.document, state.places));
        const taken = take(state, whole, words, touch);
        return { ...taken, typed: stillTyped(state.typed, taken.document), made: madeIn(state.made, edit), refused: [] };
      });
    },
    amend(edit, words, touch) {
      if (!get().mayChange) return;
      set((state) => ({ ...amend(state, edit, words, touch), made: madeIn(state.made, edit, false), refused: [] }));
    },
    settle() {
      set((state) => ({ history: settle(state.history) }));
    },
    undo() {
      return retake(undo, get(), set);
    },
    redo() {
      return retake(redo, get(), set);
    },
    choose(chosen) {
      set({ chosen: { ...NOTHING, ...chosen } });
    },
    receive(theirs) {
      set((state) => reissued(state, theirs.document));
      const { base, document: mine, chosen, history, clash, own, by, maybeSaved } = get();
      if (clash && clash.version !== null && theirs.version <= clash.version) return false;
      const older = olderOf(get());
      // This page's next save is heard of too, and is not theirs.
      const author = by && by.version >= theirs.version ? by : null;
      const found = overtakenIn(own, base.document, theirs.document, Date.now()).map((each): OvertakenBy => ({ ...each, by: author }));
      const later = (): Pick<State, "overtaken"> => ({ overtaken: [...get().overtaken.filter(({ kind, key }) => !found.some((each) => each.kind === kind && each.key === key)), ...found] });
      if (mine === base.document) {
        // Taken as it is: saved again, it would be news to the others, and theirs to us.
        set({ ...stillThere({ document: theirs.document, history }, chosen), base: theirs, ...olderAgain(get(), theirs.document), ...later() });
        return true;
      }
      // Saved without an answer: the others have changed nothing.
      const known = maybeSaved.find((sent) => same(sent, theirs.document)) ?? base.document;
      const merged = merge(known, mine, theirs.document);
      if (merged.conflicts.length) {
        // A question about older changes comes first, unless it is put off; what was not taken in is met again.
        if (older && older === clash && older !== get().postponed) return false;
        const asked: Clash = { base: known, mine, theirs: theirs.document, version: theirs.version, conflicts: merged.conflicts };
        const isPutOff = clash !== null && clash !== older && clash === get().postponed && !asksMore(asked.conflicts, clash.conflicts);
        set({ clash: asked, olderClash: older, ...(isPutOff ? { postponed: asked } : {}) });
        return false;
      }
      set({ ...stillThere({ document: merged.document, history }, chosen), base: theirs, ...olderAgain(get(), merged.document), ...later() });
      return true;
    },
    bringBack(changes, words = t("Restore"), touch = "") {
      const { document: theirs, edit } = get();
      const { base, mine } = sides(changes, theirs);
      const merged = merge(base, mine, theirs);
      if (merged.conflicts.length) {
        set({ clash: { base, mine, theirs, version: null, conflicts: merged.conflicts } });
        return false;
      }
      edit(editOf(changesBetween(theirs, merged.document)), words, touch);
      return true;
    },
    decide(choices) {
      const { clash, chosen, document: now, history, edit } = get();
      if (!clash) return;
      const isOlder = clash.version === null;
      // What was read of a form while the question stood is mine too.
      const mine = isOlder ? clash.mine : now;
      const theirs = isOlder ? now : clash.theirs;
      const { document, conflicts } = merge(clash.base, mine, theirs, choices);
      if (conflicts.some((conflict) => !(nameOf(conflict) in choices))) return set({ clash: { ...clash, mine, theirs, conflicts } });
      if (isOlder) {
        set({ clash: null, postponed: null });
        edit(editOf(changesBetween(theirs, document)), t("Restore"));
      } else set({ ...stillThere({ document, history }, chosen), base: { document: clash.theirs, version: clash.version as number }, ...olderAgain(get(), document), postponed: null });
    },
    resolve() {
      const { clash, document, decide } = get();
      if (!clash) return;
      const asked = askedAgain(clash, document);
      if (asked.conflicts.length) set({ clash: asked, postponed: null });
      else decide({});
    },
    saved(base) {
      set((state) => ({ base, made: unsaved(state.made, base.document), maybeSaved: [], own: withSave(state.own, state.base.document, base.document, Date.now()) }));
    },
    sent(document) {
      set((state) => ({ maybeSaved: [...state.maybeSaved, document] }));
    },
    set(part) {
      set(part);
    },
    keepTyped(name, typed) {
      const { [name]: _, ...others } = get().typed;
      set({ typed: typed ? { ...others, [name]: typed } : others });
    },
    say(words) {
      // The same words twice in a row are said again.
      set((state) => ({ said: state.said === words ? `${words}\u00a0` : words }));
    },
  }));
  // What is no question any more is merged at once, also one that was put off.
  store.subscribe(({ clash, document: now, decide }, before) => {
    if (clash && (clash.version === null || clash === before.clash) && now !== before.document && !askedAgain(clash, now).conflicts.length) decide({});
  });
  return store;
}

/** What is to be chosen so that a form is shown; those of the whole workflow show for nothing. */
export function chosenFor({ kind, key }: Pick<Typed, "kind" | "key">): Partial<Chosen> {
  return kind === "node" ? { nodes: [key] } : kind === "edge" ? { edges: [key] } : {};
}

/** The one element that is chosen, or null for none and for several. */
export function onlyOne({ nodes, edges }: Chosen): { kind: "node" | "edge"; key: Key } | null {
  if (nodes.length + edges.length !== 1) return null;
  const [node, edge] = [nodes[0], edges[0]];
  return node !== undefined ? { kind: "node", key: node } : { kind: "edge", key: edge as Key };
}

/** What cards and lines are drawn of. */
export type Drawn = Pick<State, "document" | "places" | "chosen" | "words" | "costs" | "tokens" | "typed" | "marks" | "whatIf" | "mayChange">;

/** A mark with its icon; undefined for an element that has none. */
export interface Marked {
  readonly sign: string;
  readonly icon: string;
  readonly text: string;
}

// Signs of most cards of an execution; their borders say them from far away.
const QUIET = ["done", "open", "same", "none"];

/** Whether the sign of a mark stands beside the name on cards that show their names alone. */
export function isLoud(sign: string | undefined): boolean {
  return sign !== undefined && !QUIET.includes(sign);
}

const marked = new WeakMap<Mark, Marked>();

export function markOf(marks: Marks | null, kind: "nodes" | "edges", id: string): Marked | undefined {
  const mark = marks?.[kind][id];
  if (!mark) return undefined;
  const known = marked.get(mark);
  if (known) return known;
  const [sign, text] = mark;
  const made = { sign, text, icon: marks.signs.find(([name]) => name === sign)?.[1] ?? "point" };
  marked.set(mark, made);
  return made;
}

/** What stands on the card of a node, with what is wrong in its open form. */
export function nodeWords({ words, typed }: Pick<State, "words" | "typed">, key: Key): NodeWords | undefined {
  return withErrors(words?.nodes[key], typed[formName("node", key)]);
}

export function edgeWords({ words, typed }: Pick<State, "words" | "typed">, key: Key): EdgeWords | undefined {
  return withErrors(words?.edges[key], typed[formName("edge", key)]);
}

// The same words for the same errors, so that a card is drawn again only when they change.
const joined = new WeakMap<readonly FieldError[], { readonly of: unknown; readonly words: unknown }>();

function withErrors<T extends { readonly problems: readonly string[] }>(words: T | undefined, typed: Typed | undefined): T | undefined {
  if (!words || !typed?.errors.length) return words;
  const known = joined.get(typed.errors);
  if (known?.of === words) return known.words as T;
  const made = { ...words, problems: [...words.problems, ...typed.errors.map(({ label, message }) => (label ? t("{where}: {why}", { where: label, why: message }) : message))], warned: false };
  joined.set(typed.errors, { of: words, words: made });
  return made;
}
