// All problems of a draft: those of its check, and those of forms that cannot be saved yet.

import { useMemo } from "react";
import type { Problem } from "../io/server";
import { type Element, find } from "../model/document";
import { begunProblems, problemsOfForms } from "../model/problem_list";
import type { State } from "../store";
import { useEditor } from "./context";
import { titleOf } from "../model/element_names";

/** Null as long as the draft was not checked. */
export function problemsOf({ words, typed, document }: Pick<State, "words" | "typed" | "document">): readonly Problem[] | null {
  if (!words) return null;
  const ofForms = problemsOfForms(typed, (kind, key) => titleOf(find<Element>(kind === "node" ? document.nodes : document.edges, key) ?? { id: key }));
  const ofDraft = begunProblems(words.problems, document);
  return ofForms.length ? [...ofForms, ...ofDraft] : ofDraft;
}

export function useProblems(): readonly Problem[] | null {
  const words = useEditor((state) => state.words);
  const typed = useEditor((state) => state.typed);
  const document = useEditor((state) => state.document);
  return useMemo(() => problemsOf({ words, typed, document }), [words, typed, document]);
}
