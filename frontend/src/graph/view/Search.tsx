// Finds elements, and goes to them.

import { useReactFlow } from "@xyflow/react";
import { useState } from "react";
import { search } from "../model/search";
import { edgeWords, nodeWords } from "../store";
import { t, tn } from "../texts";
import { useDesk, useEditor } from "./context";
import { chooseFound } from "./actions";
import { focusChosen } from "./element_focus";
import { showChosen } from "./ViewTools";

export function Search({ onFound }: { readonly onFound: () => void }) {
  const { store } = useDesk();
  const flow = useReactFlow();
  const document = useEditor((state) => state.document);
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const found = open && text.trim() ? search(document, text, more) : [];

  function more(kind: "node" | "edge", key: string): string {
    const state = store.getState();
    const words = kind === "node" ? nodeWords(state, key)?.filter : edgeWords(state, key)?.whole;
    return words?.join(" ") ?? "";
  }
  const go = (index: number): void => {
    const each = found[index];
    if (!each) return;
    chooseFound(store, each.kind, each.key);
    showChosen(flow, store.getState());
    setOpen(false);
    focusChosen(store);
    onFound();
  };
  return (
    <div
      className="editor-search"
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
    >
      <input
        type="search"
        className="form-control form-control-sm"
        aria-label={t("Find nodes and edges")}
        placeholder={t("Find")}
        value={text}
        data-key="/"
        data-key-label={t("Find nodes and edges")}
        onFocus={() => setOpen(true)}
        onChange={(event) => {
          setText(event.target.value);
          setOpen(true);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") go(0);
          if (event.key === "Escape") setOpen(false);
        }}
      />
      {open && text.trim() !== "" && (
        <div className="editor-found">
          <p role="status">{tn("{n} found", "{n} found", found.length)}</p>
          {found.map((each, index) => (
            <button key={`${each.kind} ${each.key}`} type="button" translate="no" onClick={() => go(index)}>
              <strong>{each.title}</strong> <span>{each.detail}</span>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
