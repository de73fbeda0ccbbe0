// What becomes of the state with a step: of the selection, of open forms, of ids.

import type { Chosen } from "./model/commands";
import { type Element, indexOf, type Key, type WorkflowDocument } from "./model/document";
import { elementOf, withFormIds } from "./model/form_edits";
import { type History, renamed, type Retaken, type Share, type Stand } from "./model/history";
import { collided, withIds } from "./model/made_ids";
import { formName, type State, type Typed } from "./store";

/** Undo or redo as far as others have left the step. */
export function retake(by: (stand: Stand) => Retaken, { document, history, chosen, mayChange }: State, set: (part: Partial<State>) => void): Share {
  if (!mayChange) return "all";
  const taken = by({ document, history });
  set(taken.share === "none" ? { history: taken.history } : stillThere(taken, chosen));
  return taken.share;
}

/** Without the forms of elements that this page has taken away. */
export function stillTyped(typed: State["typed"], document: WorkflowDocument): State["typed"] {
  const all = Object.entries(typed);
  const left = all.filter(([, { kind, key }]) => elementOf(document, kind, key) !== undefined);
  return left.length === all.length ? typed : Object.fromEntries(left);
}

export function stillThere(
  { document, history }: { document: WorkflowDocument; history: History },
  chosen: Chosen,
): Pick<State, "document" | "history" | "chosen" | "refused"> {
  const has = (elements: readonly Element[]) => (key: Key) => indexOf(elements).at.has(key);
  const nodes = chosen.nodes.filter(has(document.nodes));
  const edges = chosen.edges.filter(has(document.edges));
  return { document, history, chosen: { nodes, edges }, refused: [] };
}

/** What was added here gets other ids where new elements of someone else have the same; all that names it follows. */
export function reissued(state: State, theirs: WorkflowDocument): Partial<State> {
  const news = collided(state, theirs);
  if (!news) return {};
  const nodes = (keys: readonly Key[]): Key[] => keys.map((key) => news.nodes.get(key) ?? key);
  const edges = (keys: readonly Key[]): Key[] => keys.map((key) => news.edges.get(key) ?? key);
  const typed = Object.values(state.typed).map((each): [string, Typed] => {
    const made = withFormIds(each, news);
    return [formName(made.kind, made.key), made];
  });
  const former = (kind: "node" | "edge", ids: ReadonlyMap<Key, string>): [string, Key][] => [...ids].map(([key, id]) => [formName(kind, key), id]);
  return {
    document: withIds(state.document, news),
    history: renamed(state.history, news),
    chosen: { nodes: nodes(state.chosen.nodes), edges: edges(state.chosen.edges) },
    unnamed: nodes(state.unnamed),
    followed: nodes(state.followed),
    zoomTarget: nodes(state.zoomTarget),
    made: { nodes: new Set(nodes([...state.made.nodes])), edges: new Set(edges([...state.made.edges])) },
    typed: Object.fromEntries(typed),
    reissued: Object.fromEntries([...former("node", news.nodes), ...former("edge", news.edges)]),
  };
}
