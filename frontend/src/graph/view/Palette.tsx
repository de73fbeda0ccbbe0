// The node types, to be dragged onto the canvas or added by a click.

import { useReactFlow } from "@xyflow/react";
import { t } from "../texts";
import { useDesk } from "./context";
import { addKind, KIND_TYPE, NAME_FIELD, nextSpot } from "./actions";
import { Icon } from "./Icon";
import { middle } from "./keys";

export function Palette() {
  const { store, setup } = useDesk();
  const flow = useReactFlow();
  return (
    <section className="editor-palette" aria-label={t("Node types")}>
      <h2>{t("Add")}</h2>
      {setup.kinds.map((kind) => (
        <button
          key={kind.type}
          type="button"
          className={`editor-kind tone-${kind.tone}`}
          title={t("Sees by default: {what}", { what: kind.context_type })}
          draggable
          onDragStart={(event) => {
            event.dataTransfer.setData(KIND_TYPE, kind.type);
            event.dataTransfer.effectAllowed = "copy";
          }}
          onClick={() => {
            const { spot, tie } = nextSpot(store, middle(flow, null));
            addKind(store, kind, spot, tie);
            // The name is typed next, and no key presses the button again.
            store.getState().set({ wanted: NAME_FIELD });
          }}
        >
          <Icon name={kind.icon} />
          <span>{kind.label}</span>
        </button>
      ))}
    </section>
  );
}
