// The problems of the draft: each with the name of its field and a link to it.

import { type KeyboardEvent, useEffect, useState } from "react";
import type { Problem } from "../io/server";
import { countsOf, grouped, isEmptyDraft, nameOfProblem, type ProblemGroup, targetOf } from "../model/problem_list";
import { t, tn } from "../texts";
import { useDesk, useEditor } from "./context";
import { openProblem } from "./actions";
import { Icon } from "./Icon";
import { useProblems } from "./all_problems";
import { inLine } from "./accessible_names";

const MOST_LISTED = 100;
const STEPS: { readonly [key: string]: number } = { ArrowDown: 1, ArrowUp: -1, Home: Number.NEGATIVE_INFINITY, End: Number.POSITIVE_INFINITY };

export function Problems() {
  const visited = useEditor((state) => state.visited);
  const problems = useProblems();
  const isEmpty = useEditor(({ document }) => isEmptyDraft(document));
  if (!problems) return null;
  if (!problems.length && isEmpty) return <p className="text-secondary">{t("Add a first node. What has to be fixed before you publish is listed here.")}</p>;
  if (!problems.length) return <p className="text-secondary">{t("No problems. Select a node or an edge to see its settings.")}</p>;
  const groups = grouped(problems);
  return (
    <>
      <h2>{counted(problems)}</h2>
      <ul className="problem-list editor-problem-list" onKeyDown={moved}>
        {groups.slice(0, MOST_LISTED).map((group) => (
          <GroupRow key={nameOfProblem(group.problems[0] as Problem)} group={group} visited={visited} />
        ))}
      </ul>
      <More count={groups.slice(MOST_LISTED).reduce((sum, group) => sum + group.problems.length, 0)} />
    </>
  );
}

function More({ count }: { readonly count: number }) {
  return count > 0 && <p>{tn("and {n} more", "and {n} more", count)}</p>;
}

/** A problem, or one that several elements have, which unfolds to these. */
function GroupRow({ group, visited }: { readonly group: ProblemGroup<Problem>; readonly visited: string }) {
  const { message, problems } = group;
  const [first] = problems as readonly [Problem, ...Problem[]];
  const isHere = problems.some((problem) => nameOfProblem(problem) === visited);
  const [isOpen, setOpen] = useState(isHere);
  useEffect(() => {
    if (isHere) setOpen(true);
  }, [isHere]);
  if (problems.length === 1) {
    return (
      <li className={`problem-${first.severity ?? "error"}`}>
        <Row problem={first} isLast={isHere} message={message} />
      </li>
    );
  }
  return (
    <li className={`problem-${first.severity ?? "error"}`}>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="editor-problem">
          <Sign severity={first.severity} />
          <span>
            <strong>{tn("{n} place", "{n} places", problems.length)}</strong>
            {first.field && ` › ${first.field}`}
            <span className="editor-problem-message">{inLine(message)}</span>
          </span>
          <Icon name="chevron-down" />
        </summary>
        {isOpen && (
          <ul className="editor-problem-places">
            {problems.slice(0, MOST_LISTED).map((problem) => (
              <li key={nameOfProblem(problem)}>
                <Row problem={problem} isLast={nameOfProblem(problem) === visited} message="" />
              </li>
            ))}
          </ul>
        )}
        {isOpen && <More count={problems.length - MOST_LISTED} />}
      </details>
    </li>
  );
}

function Sign({ severity = "error" }: Pick<Problem, "severity">) {
  return (
    <>
      <Icon name={severity === "note" ? "info-circle" : severity === "warning" ? "alert-triangle" : "alert-circle"} />
      <span className="visually-hidden">{severity === "note" ? t("Note") : severity === "warning" ? t("Warning") : t("Error")}</span>
    </>
  );
}

/** The place of a problem as a link to it; its message unless that stands above. */
function Row({ problem, isLast, message }: { readonly problem: Problem; readonly isLast: boolean; readonly message: string }) {
  const { store } = useDesk();
  const { node, edge, element, field } = problem;
  const isOpen = useEditor(({ document }) => targetOf(document, problem) !== null);
  const place = [inLine(element || (node ?? edge ?? "")), message && field].filter(Boolean).join(" › ");
  const said = (
    <>
      {message && <Sign severity={problem.severity} />}
      <span>
        {place && <strong>{place}</strong>}
        {message && <span className="editor-problem-message">{inLine(message)}</span>}
      </span>
    </>
  );
  if (!isOpen) return <div className="editor-problem">{said}</div>;
  return (
    <button type="button" className="editor-problem" aria-current={isLast || undefined} onClick={() => openProblem(store, problem)}>
      {said}
    </button>
  );
}

/** Arrows go from problem to problem. */
function moved(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key];
  if (step === undefined) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("button, summary")];
  const at = rows.findIndex((row) => row === document.activeElement);
  if (at < 0) return;
  event.preventDefault();
  event.stopPropagation();
  rows[Math.min(Math.max(at + step, 0), rows.length - 1)]?.focus();
}

/** How many problems, as the toolbar counts them, and how many notes, which are none. */
function counted(problems: readonly Problem[]): string {
  const { errors, warnings, notes } = countsOf(problems);
  const real = errors + warnings;
  return [real ? tn("{n} problem", "{n} problems", real) : t("No problems"), notes && tn("{n} note", "{n} notes", notes)].filter(Boolean).join(", ");
}
