// The graph as two tables, with everything that the canvas does, without sight or a mouse.

import { useState } from "react";
import { removal } from "../model/commands";
import type { Key } from "../model/document";
import { find, indexOf } from "../model/document";
import { groupOf } from "../model/canvas_data";
import { edgeWords, markOf, nodeWords } from "../store";
import { t, tn } from "../texts";
import { useDesk, useEditor } from "./context";
import { addKind, nextSpot } from "./actions";
import { Icon } from "./Icon";
import { namesOf, titleOf } from "../model/element_names";
import { inLine } from "./accessible_names";

interface Props {
  readonly onConnect: (from: string) => void;
  readonly onEdit: (kind: "node" | "edge", key: Key) => void;
}

const A_PAGE = 100;

export function Outline({ onConnect, onEdit }: Props) {
  return (
    <div className="editor-outline">
      <Nodes onConnect={onConnect} onEdit={onEdit} />
      <Edges onEdit={onEdit} />
    </div>
  );
}

function Nodes({ onConnect, onEdit }: Props) {
  const { setup } = useDesk();
  const state = useEditor((each) => each);
  const { document, chosen, mayChange } = state;
  const [shown, setShown] = useState(A_PAGE);
  const { keys } = indexOf(document.nodes);
  const labels = new Map(setup.kinds.map((kind) => [kind.type, kind.label]));
  const called = namesOf(document.nodes);
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of document.edges) targets.set(from, new Set([...(targets.get(from) ?? []), to]));
  return (
    <section aria-label={t("Nodes")} tabIndex={-1}>
      <div className="editor-outline-head">
        <h2>
          {t("Nodes")} <span className="text-secondary">{document.nodes.length}</span>
        </h2>
        {mayChange && <AddNode />}
      </div>
      <table className="table table-rows">
        <thead>
          <tr>
            <th scope="col">{t("Node")}</th>
            <th scope="col">{t("Type")}</th>
            {state.marks && <th scope="col">{t("State")}</th>}
            <th scope="col">{t("Sees")}</th>
            <th scope="col">{t("Next nodes")}</th>
            <th scope="col">{t("Actions")}</th>
          </tr>
        </thead>
        <tbody>
          {document.nodes.slice(0, shown).map((node, place) => {
            const key = keys[place] as Key;
            const words = nodeWords(state, key);
            const name = titleOf(node);
            return (
              <tr key={key} aria-current={chosen.nodes.includes(key) || undefined}>
                <th scope="row" translate="no">
                  <Cut text={name} />
                  {name !== node.id && <Cut text={node.id} quiet />}
                  {groupOf(node) && <div className="small">{t("in group {name}", { name: inLine(groupOf(node)) })}</div>}
                  <Problems list={words?.problems} warned={words?.warned} />
                </th>
                <td>{labels.get(node.type) ?? words?.type_label ?? node.type}</td>
                {state.marks && <td>{markOf(state.marks, "nodes", node.id)?.text ?? "–"}</td>}
                <td>
                  {words?.context_label ?? node.context_type}
                  {words?.filter.length ? <Cut text={inLine(words.filter.join(" · "))} /> : null}
                </td>
                <td translate="no">
                  {[...(targets.get(node.id) ?? [])].map((to) => (
                    <Cut key={to} text={called.get(to) ?? inLine(to)} />
                  ))}
                  {!targets.has(node.id) && "–"}
                </td>
                <td>
                  <div className="btn-list">
                    <Row icon={mayChange ? "edit" : "eye"} label={mayChange ? t("Edit {name}", { name }) : t("Show {name}", { name })} onClick={() => onEdit("node", key)} />
                    {mayChange && <Row icon="route" label={t("Connect {name}", { name })} onClick={() => onConnect(node.id)} />}
                    {mayChange && <Delete kind="node" keyed={key} name={name} />}
                  </div>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <More left={document.nodes.length - shown} onMore={() => setShown(shown + A_PAGE)} />
    </section>
  );
}

function Edges({ onEdit }: Pick<Props, "onEdit">) {
  const state = useEditor((each) => each);
  const { document, chosen, mayChange } = state;
  const [shown, setShown] = useState(A_PAGE);
  const { keys } = indexOf(document.edges);
  const called = namesOf(document.nodes);
  return (
    <section aria-label={t("Edges")} tabIndex={-1}>
      <h2>
        {t("Edges")} <span className="text-secondary">{document.edges.length}</span>
      </h2>
      <table className="table table-rows">
        <thead>
          <tr>
            <th scope="col">{t("Edge")}</th>
            <th scope="col">{t("Direction")}</th>
            {state.marks && <th scope="col">{t("State")}</th>}
            <th scope="col">{t("Condition")}</th>
            <th scope="col">{t("Context")}</th>
            <th scope="col">{t("Actions")}</th>
          </tr>
        </thead>
        <tbody>
          {document.edges.slice(0, shown).map((edge, place) => {
            const key = keys[place] as Key;
            const words = edgeWords(state, key);
            return (
              <tr key={key} aria-current={chosen.edges.includes(key) || undefined}>
                <th scope="row" translate="no">
                  <Cut text={edge.id} />
                  <div className="small text-secondary">{words?.label ?? edge.type}</div>
                  <Problems list={words?.problems} warned={words?.warned} />
                </th>
                <td translate="no">
                  <Cut text={called.get(edge.from) ?? (inLine(edge.from) || "?")} />
                  <Cut text={`→ ${called.get(edge.to) ?? (inLine(edge.to) || "?")}`} />
                </td>
                {state.marks && <td>{markOf(state.marks, "edges", edge.id)?.text ?? "–"}</td>}
                <td translate="no">{edge.condition ? <Cut text={inLine(edge.condition)} code /> : "–"}</td>
                <td>
                  <Cut text={inLine(words?.whole.join(" · ") || "–")} />
                  {edge.weight !== undefined && <div className="small">{t("weight {n}", { n: edge.weight })}</div>}
                </td>
                <td>
                  <div className="btn-list">
                    <Row icon={mayChange ? "edit" : "eye"} label={mayChange ? t("Edit {name}", { name: edge.id }) : t("Show {name}", { name: edge.id })} onClick={() => onEdit("edge", key)} />
                    {mayChange && <Delete kind="edge" keyed={key} name={edge.id} />}
                  </div>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <More left={document.edges.length - shown} onMore={() => setShown(shown + A_PAGE)} />
    </section>
  );
}

function AddNode() {
  const { store, setup } = useDesk();
  const [type, setType] = useState(setup.kinds[0]?.type ?? "");
  return (
    <form
      className="editor-add"
      onSubmit={(event) => {
        event.preventDefault();
        const kind = setup.kinds.find((each) => each.type === type);
        const { spot, tie } = nextSpot(store, { x: 0, y: 0 });
        if (kind) addKind(store, kind, spot, tie);
      }}
    >
      <select className="form-select form-select-sm" aria-label={t("Node type")} value={type} onChange={(event) => setType(event.target.value)}>
        {setup.kinds.map((kind) => (
          <option key={kind.type} value={kind.type}>
            {kind.label}
          </option>
        ))}
      </select>
      <button type="submit" className="btn btn-sm">
        <Icon name="plus" />
        {t("Add a node")}
      </button>
    </form>
  );
}

/** A text of two lines at most, with all of it in its tooltip. */
function Cut({ text, quiet = false, code = false }: { readonly text: string; readonly quiet?: boolean; readonly code?: boolean }) {
  return (
    <span className={quiet ? "outline-cut text-secondary small" : "outline-cut"} title={text}>
      {code ? <code>{text}</code> : text}
    </span>
  );
}

function Row({ icon, label, onClick }: { readonly icon: string; readonly label: string; readonly onClick: (button: HTMLElement) => void }) {
  return (
    <button type="button" className="btn btn-sm btn-icon" aria-label={label} title={label} onClick={(event) => onClick(event.currentTarget)}>
      <Icon name={icon} />
    </button>
  );
}

function Delete({ kind, keyed, name }: { readonly kind: "node" | "edge"; readonly keyed: Key; readonly name: string }) {
  const { store } = useDesk();
  const remove = (button: HTMLElement): void => {
    const after = neighbour(button);
    const { document, edit, say } = store.getState();
    const chosen = kind === "node" ? { nodes: [keyed], edges: [] } : { nodes: [], edges: [keyed] };
    if (!find<{ id: string; type: string }>(kind === "node" ? document.nodes : document.edges, keyed)) return;
    edit(removal(document, chosen), t("Delete {name}", { name }));
    say(t("{name} deleted; Ctrl+Z restores it", { name }));
    requestAnimationFrame(() => after?.focus());
  };
  return <Row icon="trash" label={t("Delete {name}", { name })} onClick={remove} />;
}

/** Where one goes on when a row is gone: the same button of the next one, else of the one before, else the table. */
function neighbour(button: HTMLElement): HTMLElement | null {
  const row = button.closest("tr");
  const next = row?.nextElementSibling ?? row?.previousElementSibling;
  return next?.querySelector<HTMLElement>("button:last-of-type") ?? button.closest("section");
}

function Problems({ list, warned }: { readonly list: readonly string[] | undefined; readonly warned: boolean | undefined }) {
  if (!list?.length) return null;
  return (
    <ul className={warned ? "editor-problems editor-problems-warned" : "editor-problems"}>
      {list.map((problem) => (
        <li key={problem}>{inLine(problem)}</li>
      ))}
    </ul>
  );
}

function More({ left, onMore }: { readonly left: number; readonly onMore: () => void }) {
  if (left <= 0) return null;
  return (
    <button type="button" className="btn" onClick={onMore}>
      {tn("Show more: {n} left", "Show more: {n} left", left)}
    </button>
  );
}
