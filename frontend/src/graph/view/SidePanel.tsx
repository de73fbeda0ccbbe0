// What is chosen, beside the canvas: group, note and what leads in and out.

import { groupOf, noteOf, withNote } from "../model/canvas_data";
import { grouping, reshaped } from "../model/commands";
import type { Key } from "../model/document";
import { find } from "../model/document";
import { onlyOne } from "../store";
import { t, tn } from "../texts";
import { useDesk, useEditor } from "./context";
import { Icon } from "./Icon";

export function SidePanel({ onConnect }: { readonly onConnect: (from: string) => void }) {
  const chosen = useEditor((state) => state.chosen);
  const only = onlyOne(chosen);
  const count = chosen.nodes.length + chosen.edges.length;
  return (
    <aside className="editor-panel" aria-label={t("What is chosen")}>
      {only?.kind === "node" && <OneNode key={only.key} id={only.key} onConnect={onConnect} />}
      {count > 1 && <Several />}
      {!count && <p className="text-secondary">{t("Choose a node or an edge to see what it does.")}</p>}
    </aside>
  );
}

function OneNode({ id, onConnect }: { readonly id: Key; readonly onConnect: (from: string) => void }) {
  const { store } = useDesk();
  const node = useEditor((state) => find(state.document.nodes, id));
  const mayChange = useEditor((state) => state.mayChange);
  if (!node) return null;
  const note = noteOf(node)?.text ?? "";
  const write = (text: string): void => {
    const { document, edit } = store.getState();
    edit(reshaped(document, [id], (each) => withNote(each, text)), t("Note"), `note ${id}`);
  };
  return (
    <section className="editor-canvas-fields" aria-label={t("On the canvas")}>
      {mayChange && (
        <button type="button" className="btn btn-sm" data-key="c" data-key-label={t("Connect")} onClick={() => onConnect(node.id)}>
          <Icon name="route" />
          {t("Connect…")}
        </button>
      )}
      <Group keys={[id]} group={groupOf(node)} />
      <label className="field">
        <span className="form-label">{t("Note on the canvas")}</span>
        <textarea className="form-control" rows={2} maxLength={2000} value={note} readOnly={!mayChange} onChange={(event) => write(event.target.value)} onBlur={() => store.getState().settle()} />
      </label>
    </section>
  );
}

function Several() {
  const { store } = useDesk();
  const { nodes, edges } = useEditor((state) => state.chosen);
  const groups = useEditor((state) => [...new Set(nodes.map((key) => groupOf(find(state.document.nodes, key) ?? { id: "", type: "" })))].join("\n"));
  return (
    <section className="editor-canvas-fields">
      <h2>
        {tn("{n} node", "{n} nodes", nodes.length)}, {tn("{n} edge", "{n} edges", edges.length)}
      </h2>
      {nodes.length > 0 && <Group keys={nodes} group={groups.includes("\n") ? "" : groups} />}
      <button type="button" className="btn btn-sm" onClick={() => store.getState().choose({})}>
        {t("Choose nothing")}
      </button>
    </section>
  );
}

function Group({ keys, group }: { readonly keys: readonly Key[]; readonly group: string }) {
  const { store } = useDesk();
  const mayChange = useEditor((state) => state.mayChange);
  const names = useEditor((state) => [...new Set(state.document.nodes.map(groupOf))].filter(Boolean).join("\n"));
  const put = (name: string): void => {
    const { document, edit } = store.getState();
    edit(grouping(document, keys, name), t("Group"), `group ${keys.join(" ")}`);
  };
  return (
    <label className="field">
      <span className="form-label">{t("Group on the canvas")}</span>
      <input className="form-control" list="editor-groups" maxLength={80} value={group} readOnly={!mayChange} onChange={(event) => put(event.target.value)} onBlur={() => store.getState().settle()} />
      <datalist id="editor-groups">
        {names.split("\n").map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}
