// What pages that crashed or were closed left unsaved, offered once more.

import { useEffect, useState } from "react";
import type { Journal, Left } from "../io/journal";
import { type Changes, countOf, isIn } from "../model/changes";
import { find, type WorkflowDocument } from "../model/document";
import type { EditorStore } from "../store";
import { t, tn } from "../texts";
import { endsOf, titleOf } from "../model/element_names";
import { useDesk } from "./context";
import { Icon } from "./Icon";

/** Bring changes back one after the other, each when the conflicts of the one before are decided. */
function bringAllBack(store: EditorStore, [next, ...later]: readonly Changes[], done: () => void): void {
  if (!next) return done();
  if (store.getState().bringBack(next)) return bringAllBack(store, later, done);
  const unsubscribe = store.subscribe(({ clash }) => {
    if (clash) return;
    unsubscribe();
    // What was decided comes into the document first.
    queueMicrotask(() => bringAllBack(store, later, done));
  });
}

const MOST_NAMED = 3;

/** The names of the nodes and edges that were left unsaved, of the first ones only; "" where none is one. */
function namesOfLeft({ changes, typed }: Left, now: WorkflowDocument): string {
  const changed = changes.flatMap((each) => each.nodes.flatMap(({ after, before }) => after ?? before ?? []));
  const edges = changes.flatMap((each) => each.edges.flatMap(({ after, before }) => after ?? before ?? []));
  const nodes = [...changed, ...now.nodes];
  const ofForms = Object.values(typed).flatMap(({ kind, key }) => {
    const node = kind === "node" ? find(now.nodes, key) : undefined;
    const edge = kind === "edge" ? find(now.edges, key) : undefined;
    return node ? [titleOf(node)] : edge ? [endsOf(nodes, edge)] : [];
  });
  const names = [...new Set([...changed.map(titleOf), ...edges.map((edge) => endsOf(nodes, edge)), ...ofForms])];
  return [...names.slice(0, MOST_NAMED), ...(names.length > MOST_NAMED ? ["…"] : [])].join(", ");
}

export function LeftBehind({ journal }: { readonly journal: Journal }) {
  const { store } = useDesk();
  const [left, setLeft] = useState<readonly Left[]>([]);
  const [isDecided, setDecided] = useState(true);
  useEffect(() => {
    void journal.left().then((found) => {
      const { document } = store.getState();
      // The page went away after saving and before it heard of it.
      const isDone = ({ changes, typed }: Left): boolean => changes.every((each) => isIn(each, document)) && !Object.keys(typed).length;
      for (const each of found) if (isDone(each)) journal.forget(each);
      setLeft(found.filter((each) => !isDone(each)));
    });
  }, [journal, store]);
  const [newest] = left;
  // A conflict of what comes back is asked about where all others are.
  if (!newest || !isDecided) return null;
  const done = (): void => {
    journal.forget(newest);
    setLeft(left.slice(1));
    setDecided(true);
  };
  const count = countOf(newest.changes, Object.values(newest.typed));
  const names = namesOfLeft(newest, store.getState().document);
  const when = new Intl.DateTimeFormat(document.documentElement.lang || undefined, { dateStyle: "medium", timeStyle: "short" }).format(newest.at);
  return (
    <div className="editor-left note note-warning" role="alert">
      <Icon name="alert-triangle" />
      <span>{tn("This browser has {n} unsaved change of {when}.", "This browser has {n} unsaved changes of {when}.", count, { when })}{names && ` ${names}`}</span>
      <button
        type="button"
        className="btn btn-sm btn-primary"
        onClick={() => {
          for (const [name, typed] of Object.entries(newest.typed)) store.getState().keepTyped(name, { ...typed, errors: [], isRead: false });
          setDecided(false);
          // Kept until it is decided.
          bringAllBack(store, newest.changes, done);
        }}
      >
        {t("Restore")}
      </button>
      <button type="button" className="btn btn-sm" onClick={done}>
        {t("Discard")}
      </button>
    </div>
  );
}
