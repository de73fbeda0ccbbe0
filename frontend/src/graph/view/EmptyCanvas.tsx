// What an empty canvas says to do first; the rest of the canvas stays open for what is dropped.

import { useReactFlow } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { isEmptyDraft } from "../model/problem_list";
import type { Position } from "../model/document";
import { t } from "../texts";
import { addKind, centred, NAME_FIELD } from "./actions";
import { useDesk, useEditor } from "./context";
import { Icon } from "./Icon";
import { middle } from "./keys";

interface Props {
  /** Offers the node types at a point of the screen. */
  readonly onOffer: (at: Position) => void;
}

export function EmptyCanvas({ onOffer }: Props) {
  const { store, setup } = useDesk();
  const flow = useReactFlow();
  const isEmpty = useEditor(({ document }) => isEmptyDraft(document));
  const mayChange = useEditor((state) => state.mayChange);
  const begin = useRef<HTMLButtonElement>(null);
  // Who opens an empty canvas is about to add a node; by keys it is far behind all tools.
  useEffect(() => {
    if (document.activeElement === document.body) begin.current?.focus({ preventScroll: true });
  }, []);
  if (!isEmpty) return null;
  if (!mayChange) return <p className="editor-empty">{t("No nodes yet.")}</p>;
  const first = setup.kinds.find(({ type }) => type === "start");
  const start = (): void => {
    if (!first) return;
    addKind(store, first, centred(middle(flow, null)));
    // What is typed next is its name.
    store.getState().set({ wanted: NAME_FIELD });
  };
  return (
    <div className="editor-empty">
      <p className="editor-empty-title editor-empty-mouse">{t("Drop a first node here")}</p>
      <p className="editor-empty-mouse">{t("Drag a type to this place or double-click the canvas.")}</p>
      <p>{t("Most workflows begin with a start node. Everything is saved as a draft.")}</p>
      <div className="editor-empty-actions">
        {first && (
          <button ref={begin} type="button" className="btn btn-primary" onClick={start}>
            <Icon name={first.icon} />
            {t("Add a start node")}
          </button>
        )}
        <button
          type="button"
          className="btn"
          onClick={({ currentTarget }) => {
            const { left, bottom } = currentTarget.getBoundingClientRect();
            onOffer({ x: left, y: bottom });
          }}
        >
          <Icon name="plus" />
          {t("Other node…")}
        </button>
      </div>
    </div>
  );
}
