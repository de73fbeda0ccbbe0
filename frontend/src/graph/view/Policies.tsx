// Buttons for the most common choices about messages; the form below has the same values.

import { type MouseEvent, useEffect, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { change } from "../model/commands";
import { type Element, find, type Key } from "../model/document";
import { amountOf, MOST_NUMBER, type Policy, type PolicyForm, policyOf, takesPolicy, targetBelow, withPolicy } from "../model/policies";
import { grouped, t } from "../texts";
import { hint } from "../io/notice";
import { useDesk, useEditor } from "./context";

interface Props {
  readonly kind: "node" | "edge";
  readonly id: Key;
}

export function Policies({ kind, id }: Props) {
  const { store } = useDesk();
  const element = useEditor(({ document }) => find<Element>(kind === "node" ? document.nodes : document.edges, id));
  // While a larger number is typed digit by digit, the smaller one below it is not lost.
  const target = useRef(0);
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
          <div className="editor-budget">
            <Amount
              label={t("Over this many tokens")}
              value={policy.most}
              least={2}
              onEnter={() => (target.current = policy.target)}
              onValue={(most) => put({ most, target: targetBelow(most, target.current) }, `most ${id}`)}
            />
            <span aria-hidden="true">→</span>
            <Amount label={t("Cut to this many tokens")} value={policy.target} most={policy.most - 1} onValue={(value) => put({ target: value }, `target ${id}`)} />
          </div>
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
  readonly least?: number;
  readonly most?: number;
  readonly onValue: (value: number) => void;
  readonly onEnter?: () => void;
}

/** What is typed and no such number stays, with the error beside it; the draft gets back what it had before one typed. */
function Amount({ label, value, least = 1, most = MOST_NUMBER, onValue, onEnter }: AmountProps) {
  const { store } = useDesk();
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const [isLeft, setLeft] = useState(false);
  const before = useRef(value);
  // An empty field is wrong only once it is left: most people empty it before they type.
  const isWrong = typed !== null && amountOf(typed, least, most) === null && (typed !== "" || isLeft);
  // What stands in the field is not in the draft, and the status of saving says so.
  useEffect(() => {
    if (!isWrong) return undefined;
    store.getState().set({ wrongNumber: label });
    return () => store.getState().set({ wrongNumber: "" });
  }, [isWrong, label, store]);
  useLeftNumber(isWrong ? { label, typed, value } : null);
  return (
    <>
      <input
        className={`form-control editor-amount${isWrong ? " is-invalid" : ""}`}
        type="text"
        inputMode="numeric"
        aria-label={label}
        title={label}
        aria-invalid={isWrong || undefined}
        aria-describedby={isWrong ? id : undefined}
        value={typed ?? String(value)}
        onFocus={() => {
          if (!isWrong) before.current = value;
          onEnter?.();
        }}
        onKeyDown={(event) => {
          const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
          if (!step || event.ctrlKey || event.altKey || event.metaKey || amountOf(String(value + step), least, most) === null) return;
          event.preventDefault();
          setTyped(null);
          before.current = value + step;
          onValue(value + step);
        }}
        onChange={({ target }) => {
          setTyped(target.value);
          setLeft(false);
          // The digits before one too many were no number that anyone meant.
          const number = amountOf(target.value, least, most) ?? before.current;
          if (number !== value) onValue(number);
        }}
        onBlur={() => {
          setLeft(true);
          if (typed !== null && amountOf(typed, least, most) !== null) setTyped(null);
          store.getState().settle();
        }}
      />
      {isWrong && (
        <p className="field-errors" id={id} role="alert">
          {label}: {t("Enter a whole number from {least} to {most}. Still {value} in the draft.", { least: String(least), most: grouped(most), value: grouped(value) })}
        </p>
      )}
    </>
  );
}

interface WrongNumber {
  readonly label: string;
  readonly typed: string;
  readonly value: number;
}

/** Who goes on to another element with a wrong number in a field is told that it was not saved. */
function useLeftNumber(wrong: WrongNumber | null): void {
  const { store } = useDesk();
  const latest = useRef(wrong);
  latest.current = wrong;
  useEffect(() => {
    const { chosen } = store.getState();
    return () => {
      const left = latest.current;
      if (!left || store.getState().chosen === chosen) return;
      hint(t("“{typed}” was not saved. {label}: still {value} in the draft.", { typed: left.typed, label: left.label, value: grouped(left.value) }));
    };
  }, [store]);
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
