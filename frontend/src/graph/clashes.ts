// The questions about conflicts: one at a time, and what becomes of one with another document.

import type { WorkflowDocument } from "./model/document";
import { asksMore, merge } from "./model/merge";
import type { Clash, State } from "./store";

/** A question as both sides are by now. */
export function askedAgain(clash: Clash, document: WorkflowDocument): Clash {
  const [mine, theirs] = clash.version === null ? [clash.mine, document] : [document, clash.theirs];
  return { ...clash, mine, theirs, conflicts: merge(clash.base, mine, theirs).conflicts };
}

/** The question about older changes, whether or not it is the one that is asked. */
export function olderOf({ clash, olderClash }: Pick<State, "clash" | "olderClash">): Clash | null {
  return clash?.version === null ? clash : olderClash;
}

/** That question alone, as it is with another document: what it did not ask before is no longer put off. */
export function olderAgain(state: State, document: WorkflowDocument): Pick<State, "clash" | "olderClash" | "postponed"> {
  const older = olderOf(state);
  if (!older) return { clash: null, olderClash: null, postponed: null };
  const asked = askedAgain(older, document);
  const isPutOff = older === state.postponed && !asksMore(asked.conflicts, older.conflicts);
  return { clash: asked, olderClash: null, postponed: isPutOff ? asked : null };
}
