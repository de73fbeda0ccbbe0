// Connects a node by a form: the same as dragging a line, for the keyboard.

import { useId, useState } from "react";
import { connection, namedNode } from "../model/commands";
import { t } from "../texts";
import { useDesk, useEditor } from "./context";
import { Dialog } from "./Dialog";
import { titleOf } from "../model/element_names";

export function ConnectDialog({ from, onClose }: { readonly from: string; readonly onClose: () => void }) {
  const { store, setup } = useDesk();
  const document = useEditor((state) => state.document);
  const [typed, setTyped] = useState("");
  const [type, setType] = useState("sequence");
  const [wrong, setWrong] = useState(false);
  const field = useId();
  const nameOf = (id: string): string => titleOf(document.nodes.find((node) => node.id === id) ?? { id });
  const send = (): void => {
    const to = namedNode(document.nodes, typed.trim());
    if (to === null) return setWrong(true);
    const made = connection(document, from, to, type);
    const names = { from: nameOf(from), to: nameOf(to) };
    store.getState().edit(made.edit, t("Connect {from} with {to}", names));
    store.getState().choose({ edges: [made.key] });
    store.getState().say(t("{from} is now connected to {to}", names));
    onClose();
  };
  return (
    <Dialog title={t("Connect {from}", { from: nameOf(from) })} onClose={onClose}>
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <div className="field">
          <label className="form-label" htmlFor={field}>
            {t("With node")}
          </label>
          <input id={field} className="form-control" list={`${field}-list`} autoComplete="off" autoFocus value={typed} aria-invalid={wrong || undefined} aria-describedby={wrong ? `${field}-wrong` : undefined} onChange={(event) => setTyped(event.target.value)} />
          <datalist id={`${field}-list`}>
            {document.nodes.map((node) => (
              <option key={node.id} value={node.id}>
                {titleOf(node)}
              </option>
            ))}
          </datalist>
          {wrong && (
            <p id={`${field}-wrong`} className="field-errors">
              {t("Enter the name or the id of a node.")}
            </p>
          )}
        </div>
        <div className="field">
          <label className="form-label" htmlFor={`${field}-type`}>
            {t("Type")}
          </label>
          <select id={`${field}-type`} className="form-select" value={type} onChange={(event) => setType(event.target.value)}>
            {setup.edge_types.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <div className="form-actions">
          <button type="button" className="btn" onClick={onClose}>
            {t("Cancel")}
          </button>
          <button type="submit" className="btn btn-primary">
            {t("Connect")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
