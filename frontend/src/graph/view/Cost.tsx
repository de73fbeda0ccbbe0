// What the policy of an element would have cost on past conversations, and a cheaper budget.

import type { Element, Key } from "../model/document";
import { change } from "../model/commands";
import { t } from "../texts";
import { useDesk, useEditor } from "./context";
import { Icon } from "./Icon";
import { inLine } from "./accessible_names";

interface Props {
  readonly kind: "node" | "edge";
  readonly id: Key;
}

export function Cost({ kind, id }: Props) {
  const { store, setup } = useDesk();
  const costs = useEditor((state) => state.costs);
  const mayChange = useEditor((state) => state.mayChange);
  const cost = costs?.[kind === "node" ? "nodes" : "edges"][id];
  if (!costs || (!cost && costs.whole)) return null;
  const use = (): void => {
    const { document, edit, say } = store.getState();
    if (!cost?.offer) return;
    edit(change(document, kind, id, cost.offer.element as unknown as Element), t("Use budget"));
    say(t("Budget taken into the draft"));
  };
  return (
    <section className="editor-cost" aria-label={t("Cost")}>
      <h2>
        {t("Cost")}: {cost ? <span className={cost.warning ? "flow-cost-raises" : undefined}>{inLine(cost.brief)}</span> : <span role="status">{inLine(costs.said)}</span>}
        {cost?.line && costs.sample && <span className="editor-cost-sample"> · {inLine(costs.sample)}</span>}
      </h2>
      {cost?.warning && (
        <p className="editor-cost-warning" role="status">
          <Icon name="alert-triangle" /> {inLine(cost.warning)}
        </p>
      )}
      {cost?.offer && mayChange && (
        <button type="button" className="btn btn-sm btn-primary" onClick={use}>
          <Icon name="check" />
          {cost.offer.label}
        </button>
      )}
      {cost && (
        <details>
          <summary>{t("Details")}</summary>
          <p className="small">
            {inLine([cost.said, cost.basis, costs.said].filter(Boolean).join(" "))}{" "}
            {setup.urls.compare && <a href={compareUrl(setup.urls.compare, kind, id)}>{t("Compare policies")}</a>}
          </p>
        </details>
      )}
    </section>
  );
}

/** The form of a comparison, of a node with this one beside the usual policies. */
function compareUrl(url: string, kind: "node" | "edge", id: string): string {
  return kind === "edge" ? url : `${url}?${new URLSearchParams({ node: id })}`;
}
