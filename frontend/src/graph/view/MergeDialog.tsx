// A conflict in one element: base, mine and theirs side by side, to be decided.

import { useEffect, useRef, useState } from "react";
import { named } from "../../state/model/hidden";
import { namesOf, tell, type Told } from "../io/conflict_texts";
import type { Conflict, Decided, Side, Sided } from "../model/merge";
import { nameOf, standing } from "../model/merge";
import { same, type WorkflowDocument, type WorkflowEdge, type WorkflowNode } from "../model/document";
import { t, tn } from "../texts";
import { endsOf, titleOf } from "../model/element_names";
import { calledAuthor } from "./accessible_names";
import { useDesk, useEditor } from "./context";
import { Dialog } from "./Dialog";
import { SideOf } from "./Sides";

export function MergeDialog() {
  const clash = useEditor((state) => state.clash);
  return clash ? <Deciding key={clash.version === null ? "older" : "others"} /> : null;
}

function Deciding() {
  const { store } = useDesk();
  const clash = useEditor((state) => state.clash);
  const told = useTold(clash?.conflicts ?? NO_CONFLICTS, clash ? [clash.base, clash.theirs, clash.mine] : []);
  const by = useEditor((state) => state.by);
  const postponed = useEditor((state) => state.postponed);
  const [decided, setDecided] = useState<Decided>({});
  if (!clash) return null;
  // What was chosen stays as long as the conflict does.
  if (clash === postponed) return null;
  const postpone = (): void => store.getState().set({ postponed: clash });
  const { conflicts, version } = clash;
  const choices = standing(decided, conflicts); // what others change again is decided again
  const choose = (some: readonly Conflict[], side: Side): void =>
    setDecided({ ...decided, ...Object.fromEntries(some.map((conflict) => [nameOf(conflict), { side, of: conflict }])) });
  // Of a version that was met before it was heard of nobody knows who saved it.
  const author = by && version !== null && by.version >= version ? by : null;
  const theirs = version === null ? t("Current") : author?.isMe ? t("Other tab") : t("Theirs");
  const all = (side: Side): void => choose(conflicts, side);
  const open = conflicts.filter((conflict) => !(nameOf(conflict) in choices)).length;
  return (
    <Dialog wide onClose={postpone} title={tn("{n} element has conflicting changes", "{n} elements have conflicting changes", conflicts.length)}>
      <p>
        {version === null
          ? by && !by.isMe
            ? t("Some of your unsaved changes conflict with later ones, the last by {who}. Everything else is merged automatically.", { who: named(by.name) })
            : t("Some of your unsaved changes conflict with later ones. Everything else is merged automatically.")
          : t("{who} saved the draft. Changes that do not conflict are merged automatically; resolve the rest.", { who: calledAuthor(author) })}
      </p>
      <div className="btn-list">
        <button type="button" className="btn btn-sm" onClick={() => all("mine")}>
          {t("Mine for all")}
        </button>
        <button type="button" className="btn btn-sm" onClick={() => all("theirs")}>
          {t("{theirs} for all", { theirs })}
        </button>
      </div>
      {conflicts.map((conflict) => (
        <OneConflict key={nameOf(conflict)} conflict={conflict} told={told[nameOf(conflict)]} theirs={theirs} choice={choices[nameOf(conflict)]} onChoose={(side) => choose([conflict], side)} />
      ))}
      <div className="form-actions">
        <span role="status">{open ? tn("{n} to resolve", "{n} to resolve", open) : t("All resolved")}</span>
        <button type="button" className="btn" onClick={postpone}>
          {t("Decide later")}
        </button>
        <button type="button" className="btn btn-primary" disabled={open > 0} onClick={() => store.getState().decide(choices)}>
          {t("Merge")}
        </button>
      </div>
    </Dialog>
  );
}

const NO_CONFLICTS: readonly Conflict[] = [];

/** What the sides of each conflict say, as far as the server has told it yet; names are those of the documents. */
export function useTold(conflicts: readonly Conflict[], documents: readonly WorkflowDocument[]): { readonly [name: string]: Told } {
  const { server } = useDesk();
  const [told, setTold] = useState<{ readonly [name: string]: Told }>({});
  const named = useRef(documents);
  named.current = documents;
  const [asked, setAsked] = useState(conflicts);
  if (!same(asked, conflicts)) setAsked(conflicts);
  useEffect(() => {
    if (!asked.length) return;
    const running = new AbortController();
    void tell(server, asked, namesOf(named.current), running.signal, (name, words) => setTold((before) => ({ ...before, [name]: words })));
    return () => running.abort();
  }, [server, asked]);
  return told;
}

interface OneProps {
  readonly conflict: Conflict;
  readonly told: Told | undefined;
  readonly theirs: string;
  readonly choice: Side | undefined;
  readonly onChoose: (side: Side) => void;
}

function OneConflict({ conflict, told, theirs, choice, onChoose }: OneProps) {
  const name = nameOf(conflict);
  const called = useEditor(({ document }) => calledIn(conflict, document));
  const kinds = { node: t("Node"), edge: t("Edge"), reducer: t("Reducer"), name: t("Name") };
  const sides = [
    ["mine", t("Mine"), 1, conflict.mine],
    ["theirs", theirs, 2, conflict.theirs],
  ] as const;
  return (
    <fieldset className="editor-conflict">
      <legend>
        {kinds[conflict.kind]} {called ? <span translate="no">{called}</span> : <code translate="no">{conflict.key}</code>}
      </legend>
      <div className="editor-sides">
        <div>
          <strong>{t("Before")}</strong>
          <SideOf told={told} side={0} json={jsonOf(conflict.base, conflict)} isDeleted={false} />
        </div>
        {sides.map(([side, label, place, value]) => (
          <div key={side}>
            <label className="form-check">
              <input className="form-check-input" type="radio" name={name} checked={choice === side} onChange={() => onChoose(side)} />
              <span className="form-check-label">{label}</span>
            </label>
            <SideOf told={told} side={place} json={jsonOf(value, conflict)} isDeleted={value === undefined && conflict.base !== undefined} />
          </div>
        ))}
      </div>
    </fieldset>
  );
}

/** What people call an element: a node by its name, an edge by those of its nodes; "" for what is no element. */
export function calledIn({ kind, mine, theirs, base }: Conflict, { nodes }: WorkflowDocument): string {
  const element = (base ?? theirs ?? mine) as unknown as WorkflowNode & WorkflowEdge;
  return kind === "node" ? titleOf(element) : kind === "edge" ? endsOf(nodes, element) : "";
}

/** An element with the fields that are to be decided, or undefined if it is not there. */
export function jsonOf(value: Sided, { base, mine, theirs }: Conflict): string | undefined {
  const compared = mine === undefined || theirs === undefined ? [base, mine, theirs] : [mine, theirs];
  return value === undefined ? undefined : JSON.stringify(differing(value, compared), null, 2);
}

function differing(value: Sided, all: readonly Sided[]): unknown {
  if (!all.every((each) => typeof each === "object" && each !== null)) return value;
  const fields = (each: Sided): Record<string, unknown> => each as unknown as Record<string, unknown>;
  return Object.fromEntries(Object.entries(fields(value)).filter(([name, own]) => !all.every((each) => same(fields(each)[name], own))));
}
