// Sends forms to the server to be read: a moment after the last key, and again after an outage.
// What is typed stays in the store until the document has it, whatever becomes of the form. It is
// merged with what others, or the canvas, did to the same element since the form was drawn.

import { elementOf, editTo, changesTo, type ElementKind, looksSame, saidBy, type Value } from "../model/form_edits";
import type { Element, Key, WorkflowDocument } from "../model/document";
import { asFirst, find, same } from "../model/document";
import { nameOfForm } from "../model/element_names";
import { isMine, rebased } from "../model/own_changes";
import type { EditorStore, Typed } from "../store";
import { t } from "../texts";
import { askAbout } from "./document_requests";
import { type FieldError, Refused, type Server } from "./server";
import { wordsOf } from "./error_text";

export const TYPING_PAUSE_MS = 120;
const AGAIN_MS = 3_000;

/** What was typed into one field since it was entered: the element before, and as it was read last. */
interface Begun {
  readonly touch: string;
  readonly before: Value;
  readonly said: Value;
}

/** What learns of a form that is open. */
interface Hearer {
  /** It was read: `said` is in the document now, under `key`; null if the form says no element. */
  read(errors: readonly FieldError[], said: Value | null, key: string): void;
  failed(words: string): void;
}

export interface Reader {
  hear(name: string, hearer: Hearer): () => void;
  /** Read all that is typed now; true if the document has all of it. */
  finish(): Promise<boolean>;
  stop(): void;
}

export function startReading(store: EditorStore, server: Pick<Server, "read">): Reader {
  const hearers = new Map<string, Hearer>();
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const running = new Map<string, { readonly of: Typed; readonly done: Promise<void> }>();
  const begun = new Map<string, Begun>();

  const later = (name: string, wait: number): void => {
    clearTimeout(timers.get(name));
    timers.set(name, setTimeout(() => void read(name), wait));
  };

  function read(name: string): Promise<void> {
    clearTimeout(timers.get(name));
    timers.delete(name);
    const typed = store.getState().typed[name];
    if (!typed || typed.isRead) return Promise.resolve();
    const known = running.get(name);
    if (known?.of === typed) return known.done;
    const done = ask(name, typed).finally(() => running.get(name)?.of === typed && running.delete(name));
    running.set(name, { of: typed, done });
    return done;
  }

  async function ask(name: string, typed: Typed): Promise<void> {
    // What was typed meanwhile is read itself, or is in the document by another way.
    const isLate = (): boolean => store.getState().typed[name] !== typed;
    try {
      const { kind, key, fields } = typed;
      const { signal } = new AbortController();
      const reading = await askAbout(store, ({ document }) => asFirst(asShown(document, typed), kind, key), (asked) => server.read(kind, sentId(store.getState().document, kind, key), asked, fields, signal), signal);
      if (isLate()) return;
      if (reading.element === null) {
        const kept = { ...typed, base: takeBack(name, typed), errors: reading.errors, isRead: true };
        store.getState().keepTyped(name, kept);
        hearers.get(name)?.read(reading.errors, null, typed.key);
      } else {
        const said = saidBy(typed.kind, reading.element, typed.base);
        // It needs a decision of its own; one after the other.
        if (store.getState().clash && isOvertaken(store, typed, said)) return later(name, AGAIN_MS);
        const key = take(store, typed, said);
        const { touch, base } = typed;
        const first = begun.get(name);
        begun.set(name, { touch, before: first?.touch === touch ? first.before : base, said });
        store.getState().keepTyped(name, null);
        hearers.get(name)?.read(reading.errors, said, key);
      }
      if (store.getState().readingFails) store.getState().set({ readingFails: null });
    } catch (error) {
      if (!isLate()) failed(name, typed, error);
    }
  }

  /** The first letters of what turned out wrong were nothing that anyone meant: the element is what it was. Gives what the form began with. */
  function takeBack(name: string, typed: Typed): Value {
    const first = begun.get(name);
    if (first?.touch !== typed.touch || store.getState().clash || idOf(first.before) !== idOf(first.said)) return typed.base;
    begun.delete(name);
    take(store, { ...typed, base: first.said }, first.before);
    return first.before;
  }

  function failed(name: string, typed: Typed, error: unknown): void {
    const kind = error instanceof Refused ? error.kind : "offline";
    if (kind === "offline" || kind === "signed-out") {
      store.getState().set({ readingFails: kind });
      later(name, AGAIN_MS);
    } else {
      store.getState().keepTyped(name, { ...typed, errors: [{ field: "", label: "", message: wordsOf(error) }], isRead: true });
    }
    hearers.get(name)?.failed(wordsOf(error));
  }

  const unsubscribe = store.subscribe((now, before) => {
    if (now.typed === before.typed) return;
    for (const [name, typed] of Object.entries(now.typed)) {
      if (typed !== before.typed[name] && !typed.isRead) later(name, TYPING_PAUSE_MS);
    }
  });
  return {
    hear(name, hearer) {
      hearers.set(name, hearer);
      return () => hearers.get(name) === hearer && hearers.delete(name);
    },
    async finish() {
      await Promise.all(Object.keys(store.getState().typed).map(read));
      return !Object.keys(store.getState().typed).length;
    },
    stop() {
      for (const timer of timers.values()) clearTimeout(timer);
      unsubscribe();
    },
  };
}

/** The id of an element, which is sent as the first of its id; "" for what is no element. */
export function sentId(document: WorkflowDocument, kind: ElementKind, key: Key): string {
  if (kind !== "node" && kind !== "edge") return "";
  return (elementOf(document, kind, key) as Element | undefined)?.id ?? key;
}

function idOf(value: Value): string | undefined {
  return typeof value === "object" && "id" in value ? (value as Element).id : undefined;
}

/** Whether the element of a form has changed since the form was drawn. */
function isOvertaken(store: EditorStore, read: Typed, element: Value): boolean {
  const { typed: { kind, key, base }, said } = withOwn(store, read, element);
  const now = elementOf(store.getState().document, kind, key);
  return now === undefined ? !same(base, said) : !looksSame(now, base);
}

/** The document with the element as the form showed it: what nobody typed is read as it is there. */
function asShown(document: WorkflowDocument, { kind, key, base }: Typed): WorkflowDocument {
  if (kind !== "node" && kind !== "edge") return document;
  const now = elementOf(document, kind, key) as Element | undefined;
  if (now === undefined || looksSame(now, base)) return document;
  const shown = { ...(base as Element), id: now.id };
  const put = <T extends Element>(elements: readonly T[]): T[] => elements.map((each) => (each === now ? (shown as T) : each));
  return kind === "node" ? { ...document, nodes: put(document.nodes) } : { ...document, edges: put(document.edges) };
}

/** What a form says, made of the element as this page changed it meanwhile beside the form: nobody is in conflict with themselves. */
function withOwn(store: EditorStore, typed: Typed, said: Value): { readonly typed: Typed; readonly said: Value } {
  const { kind, key } = typed;
  const { document, base: saved, own } = store.getState();
  if (kind !== "node" && kind !== "edge") return { typed, said };
  const now = elementOf(document, kind, key) as Element | undefined;
  if (now === undefined || looksSame(now, typed.base)) return { typed, said };
  const before = find<Element>(kind === "node" ? saved.document.nodes : saved.document.edges, key);
  const known = own.find((each) => each.kind === kind && each.key === key);
  const form = { base: typed.base, said, over: typed.over ?? typed.base } as { base: Element; said: Element; over: Element };
  const made = rebased(form, now, (name) => name !== "id" && isMine(name, now, before, known));
  return { typed: { ...typed, base: made.base }, said: made.said };
}

/** Take what a form says into the document: where its element changed meanwhile, by a merge. Gives the key by then. */
function take(store: EditorStore, read: Typed, element: Value): string {
  const { typed, said } = withOwn(store, read, element);
  const { kind, touch } = typed;
  const words = t("Edit {what}", { what: nameOfForm(store.getState().document, kind, said) });
  const { key, from } = renamed(store, typed, said, words);
  const { document, edit, bringBack } = store.getState();
  const now = elementOf(document, kind, key);
  if (now !== undefined && looksSame(now, from)) {
    const value = saidBy(kind, kind === "workflow" ? { name: said } : (said as object), now);
    if (!same(value, now)) edit(editTo(document, kind, key, value), words, touch);
  } else if (!same(from, said)) {
    bringBack(changesTo(kind, key, from, said), words, touch);
  }
  return key;
}

/** Another id comes first, by itself, so that all else can be merged under it. */
function renamed(store: EditorStore, { kind, key, base, touch }: Typed, said: Value, words: string): { key: string; from: Value } {
  if (kind !== "node" && kind !== "edge") return { key, from: base };
  const { document, edit, chosen, choose } = store.getState();
  const { id } = said as Element;
  const now = elementOf(document, kind, key) as Element | undefined;
  if (id === (base as Element).id || now === undefined) return { key, from: base };
  edit(editTo(document, kind, key, { ...now, id }), words, touch);
  const isChosen = kind === "node" ? chosen.nodes : chosen.edges;
  if (isChosen.length === 1 && isChosen[0] === key) choose(kind === "node" ? { nodes: [id] } : { edges: [id] });
  return { key: id, from: { ...(base as Element), id } };
}
