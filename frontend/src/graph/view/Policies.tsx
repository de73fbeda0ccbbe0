// Buttons for the most common choices about messages; the form below has the same values.

import { type MouseEvent, useId, useState } from "react";
import { flushSync } from "react-dom";
import { change } from "../model/commands";
import { type Element, find, type Key } from "../model/document";
import { MOST_NUMBER, type Policy, type PolicyForm, policyOf, takesPolicy, withPolicy } from "../model/policies";
import { t } from "../texts";
import { useDesk, useEditor } from "./context";

interface Props {
  readonly kind: "node" | "edge";
  readonly id: Key;
}

export function Policies({ kind, id }: Props) {
  const { store } = useDesk();
  const element = useEditor(({ document }) => find<Element>(kind === "node" ? document.nodes : document.edges, id));
  if (!element || !takesPolicy(element)) return null;
  const policy = policyOf(element);
  const put = (part: Partial<Policy>, touch?: string): void => {
    const { document, edit } = store.getState();
    const now = find<Element>(kind === "node" ? document.nodes : document.edges, id);
    if (now) edit(change(document, kind, id, withPolicy(now, { ...policyOf(now), ...part })), t("Messages"), touch);
  };
  // What is set next is the number.
  const press = ({ currentTarget }: MouseEvent<HTMLElement>, form: PolicyForm): void => {
    flushSync(() => put({ form }));
    const amount = currentTarget.closest("section")?.querySelector<HTMLInputElement>(".editor-amount");
    amount?.focus();
    amount?.select();
  };
  const forms: readonly [PolicyForm, string][] = [
    ["all", t("All")],
    ["last", t("Last N")],
    ["budget", t("Budget")],
  ];
  const isCustom = policy.form === "custom";
  return (
    <section className="editor-policies" aria-label={t("Messages that it sees")}>
      <div className="editor-policy-row">
        <span className="form-label">{t("Messages")}</span>
        <div className="btn-group" role="group" aria-label={t("Messages")}>
          {forms.map(([form, label]) => (
            <button key={form} type="button" className="btn btn-sm" aria-pressed={policy.form === form} onClick={(event) => press(event, form)}>
              {label}
            </button>
          ))}
        </div>
        {policy.form === "last" && <Amount label={t("Number of messages")} value={policy.count} onValue={(count) => put({ count }, `count ${id}`)} />}
        {policy.form === "budget" && (
          <span className="editor-budget">
            <Amount label={t("Over this many tokens")} value={policy.most} onValue={(most) => put({ most, target: Math.min(policy.target, most) }, `most ${id}`)} />
            <span aria-hidden="true">→</span>
            <Amount label={t("Cut to this many tokens")} value={policy.target} onValue={(target) => put({ target }, `target ${id}`)} />
          </span>
        )}
      </div>
      {isCustom ? (
        <p className="text-secondary small">{t("Set in the form below; a choice here replaces its operations on messages.")}</p>
      ) : (
        <div className="editor-policy-row">
          <Check label={t("Keep system")} checked={policy.keepsSystem} isDisabled={policy.form === "all"} onCheck={(keepsSystem) => put({ keepsSystem })} />
          <Check label={t("No tool results")} checked={policy.dropsTools} onCheck={(dropsTools) => put({ dropsTools })} />
        </div>
      )}
    </section>
  );
}

interface AmountProps {
  readonly label: string;
  readonly value: number;
  readonly onValue: (value: number) => void;
}

function Amount({ label, value, onValue }: AmountProps) {
  const { store } = useDesk();
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <input
      className="form-control editor-amount"
      type="number"
      min={1}
      max={MOST_NUMBER}
      aria-label={label}
      title={label}
      value={typed ?? String(value)}
      onChange={({ target }) => {
        setTyped(target.value);
        const number = target.valueAsNumber;
        if (Number.isInteger(number) && number >= 1 && number <= MOST_NUMBER) onValue(number);
      }}
      onBlur={() => {
        setTyped(null);
        store.getState().settle();
      }}
    />
  );
}

interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly isDisabled?: boolean;
  readonly onCheck: (checked: boolean) => void;
}

function Check({ label, checked, isDisabled = false, onCheck }: CheckProps) {
  const id = useId();
  return (
    <label className="form-check" htmlFor={id}>
      <input id={id} className="form-check-input" type="checkbox" checked={checked} disabled={isDisabled} onChange={({ target }) => onCheck(target.checked)} />
      <span className="form-check-label">{label}</span>
    </label>
  );
}
