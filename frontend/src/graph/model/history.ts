// Undo and redo: the steps that were taken, with the edits that undo them.

import type { WorkflowDocument } from "./document";
import { changesBetween, isNothing } from "./changes";
import { type Applied, apply, type Edit } from "./edits";
import { earlier } from "./late_edits";
import { type NewIds, rekeyed } from "./rekeyed";

interface Step {
  readonly words: string;
  readonly edit: Edit;
  readonly inverse: Edit;
  readonly touch: string;
  /** Whether the next step of the same touch joins it. */
  readonly isOpen: boolean;
}

export interface History {
  readonly past: readonly Step[];
  readonly future: readonly Step[];
}

export interface Stand {
  readonly document: WorkflowDocument;
  readonly history: History;
}

/** What is there after undoing or redoing, and how much of the step that was: others may have changed some of it since. */
export interface Retaken extends Stand {
  readonly share: Share;
}

export type Share = "all" | "part" | "none";

export const NOTHING_DONE: History = { past: [], future: [] };

// Steps hold the elements that they replaced, which the document shared before: a few KB each.
const MOST_STEPS = 500;

/**
 * Take a step. Steps with the same `touch` in a row are one: what is typed into one field, a
 * node that is pushed by arrow keys. An empty `touch` never joins.
 */
export function take(stand: Stand, edit: Edit, words: string, touch = ""): Stand {
  const { document, inverse } = apply(stand.document, edit);
  const last = stand.history.past.at(-1);
  const joins = last?.isOpen && last.touch === touch;
  const step: Step = joins ? joined(last, { edit, inverse, words }) : { words, touch, edit, inverse, isOpen: touch !== "" };
  const past = joins ? stand.history.past.slice(0, -1) : stand.history.past;
  return { document, history: { past: [...past, step].slice(-MOST_STEPS), future: [] } };
}

/** Add to the step of a touch what follows from it, also when other steps were taken since: it is undone with it. */
export function amend(stand: Stand, edit: Edit, words: string, touch: string): Stand {
  const { past } = stand.history;
  const at = past.map((step) => step.touch).lastIndexOf(touch);
  const step = past[at];
  const later = step && earlier(stand.document, edit, past.slice(at + 1));
  if (!later) return take(stand, edit, words, touch);
  const { document, inverse } = apply(stand.document, edit);
  return { document, history: { past: [...past.slice(0, at), joined(step, { edit, inverse, words }), ...later], future: [] } };
}

function joined(step: Step, { edit, inverse, words }: Pick<Step, "edit" | "inverse" | "words">): Step {
  return {
    ...step,
    words,
    edit: { kind: "together", edits: [...parts(step.edit), edit] },
    inverse: { kind: "together", edits: [inverse, ...parts(step.inverse)] },
  };
}

function parts(edit: Edit): readonly Edit[] {
  return edit.kind === "together" ? edit.edits : [edit];
}

/** From here on nothing joins the last step. */
export function settle(history: History): History {
  const last = history.past.at(-1);
  if (!last?.isOpen) return history;
  return { ...history, past: [...history.past.slice(0, -1), { ...last, isOpen: false }] };
}

/** The history of elements that have other ids by now. */
export function renamed({ past, future }: History, news: NewIds): History {
  const each = (step: Step): Step => ({ ...step, edit: rekeyed(step.edit, news), inverse: rekeyed(step.inverse, news) });
  return { past: past.map(each), future: future.map(each) };
}

export function undo({ document, history }: Stand): Retaken {
  const step = history.past.at(-1);
  if (!step) return { document, history, share: "all" };
  const back = apply(document, step.inverse);
  const share = shareOf(document, back);
  const past = history.past.slice(0, -1);
  // What takes the undoing back is worked out again: the document may have been merged meanwhile.
  const undone = { ...step, edit: back.inverse };
  return share === "none" ? { document, history: { ...history, past }, share } : { document: back.document, history: { past, future: [undone, ...history.future] }, share };
}

export function redo({ document, history }: Stand): Retaken {
  const step = history.future[0];
  if (!step) return { document, history, share: "all" };
  const again = apply(document, step.edit);
  const share = shareOf(document, again);
  const future = history.future.slice(1);
  const done = { ...step, inverse: again.inverse, isOpen: false };
  return share === "none" ? { document, history: { ...history, future }, share } : { document: again.document, history: { past: [...history.past, done], future }, share };
}

function shareOf(before: WorkflowDocument, { document, isWhole }: Applied): Share {
  if (isWhole) return "all";
  return isNothing(changesBetween(before, document)) ? "none" : "part";
}
