// What the nodes of recorded executions would see under the workflow on the canvas.

import { useState } from "react";
import type { TriedInput } from "../io/server";
import { saysTheSame } from "../io/summary_requests";
import { find, indexOf } from "../model/document";
import { grouped, t, tn } from "../texts";
import { useDesk, useEditor } from "./context";
import { chooseFound } from "./actions";
import { Icon } from "./Icon";

const MOST = 100;
const USUAL = 20;
// Of each node; the numbers count all of them.
const MOST_LISTED = 50;

export function WhatIf() {
  const { trier } = useDesk();
  const whatIf = useEditor((state) => state.whatIf);
  const [last, setLast] = useState(USUAL);
  const isOld = useEditor((state) => state.whatIf !== null && !saysTheSame(state.whatIf.document, state.document));
  return (
    <section className="editor-what-if" aria-label={t("Replay")}>
      <p className="m-0">{t("Replays recent executions against the workflow on the canvas, saved or not. Nothing is stored and no execution changes.")}</p>
      <form
        className="editor-what-if-form"
        onSubmit={(event) => {
          event.preventDefault();
          void trier.start(last);
        }}
      >
        <label className="field">
          <span className="form-label">{t("Latest executions")}</span>
          <input className="form-control" type="number" min={1} max={MOST} required value={last || ""} onChange={(event) => setLast(Number(event.target.value))} />
        </label>
        {whatIf?.running ? (
          // Another element than the button of the start: as the same one it would send the form.
          <button key="stop" type="button" className="btn" onClick={() => trier.stop()}>
            <Icon name="player-stop" />
            {t("Stop")}
          </button>
        ) : (
          <button key="start" type="submit" className={whatIf?.run ? "btn" : "btn btn-primary"}>
            <Icon name="player-play" />
            {whatIf ? t("Start again") : t("Start")}
          </button>
        )}
        {whatIf && !whatIf.running && whatIf.run && (
          <button type="button" className="btn btn-primary" onClick={() => void trier.goOn()}>
            {t("Continue")}
          </button>
        )}
      </form>
      {whatIf?.wrong && (
        <p className="field-errors" role="alert">
          {whatIf.wrong}
        </p>
      )}
      {whatIf && isOld && (
        <p className="m-0 text-secondary">
          <Icon name="alert-triangle" /> {t("The workflow has changed since. Start again to replay it as it is now.")}
        </p>
      )}
      {whatIf && <Progress />}
      {whatIf && whatIf.sums.length > 0 && <Sums />}
    </section>
  );
}

function Progress() {
  const whatIf = useEditor((state) => state.whatIf);
  if (!whatIf) return null;
  const { running, run, done, whole, incomplete, wrong } = whatIf;
  const said = (): string => {
    if (run === null && !running && !wrong) return whole ? tn("Done: {n} execution replayed", "Done: {n} executions replayed", done) : t("This workflow has no executions yet.");
    return t("{n} of {m} executions replayed", { n: done, m: whole });
  };
  return (
    <>
      <p className="m-0" role="status">
        {running && !whole ? t("Loading…") : said()}
      </p>
      {running && <progress max={whole || 1} value={done} aria-label={t("Executions replayed")} />}
      {incomplete.length > 0 && (
        <p className="m-0 text-secondary">
          {t("Not replayed in full, because too long or no longer stored:")} <span translate="no">{incomplete.join(", ")}</span>
        </p>
      )}
    </>
  );
}

function Sums() {
  const { store } = useDesk();
  const sums = useEditor((state) => state.whatIf?.sums) ?? [];
  const results = useEditor((state) => state.whatIf?.results) ?? [];
  const document = useEditor((state) => state.document);
  const there = indexOf(document.nodes).at;
  return (
    <ul className="editor-tried">
      {sums.map(({ node, inputs, changed }) => (
        <li key={node}>
          <div className="editor-tried-head">
            {there.has(node) ? (
              <button type="button" className="editor-link" translate="no" onClick={() => chooseFound(store, "node", node)}>
                {find(document.nodes, node)?.name || node}
              </button>
            ) : (
              <span translate="no">{node}</span>
            )}
            <span className={changed ? "badge verdict-changed" : "text-secondary"}>{countWords(changed, inputs)}</span>
          </div>
          <Differences found={results.filter((each) => each.node === node)} />
        </li>
      ))}
    </ul>
  );
}

export function countWords(changed: number, inputs: number): string {
  if (!changed) return tn("its input is unchanged", "all {n} inputs are unchanged", inputs);
  return tn("{changed} of {n} input changes", "{changed} of {n} inputs change", inputs, { changed });
}

/** In the panel of a node: what of its inputs would change. */
export function NodeTried({ id }: { readonly id: string }) {
  const sum = useEditor((state) => state.whatIf?.sums.find(({ node }) => node === id));
  const results = useEditor((state) => state.whatIf?.results) ?? [];
  if (!sum) return null;
  return (
    <section aria-label={t("Replay")}>
      <h2>
        {t("Replay")}: {countWords(sum.changed, sum.inputs)}
      </h2>
      <Differences found={results.filter(({ node }) => node === id)} open />
    </section>
  );
}

function Differences({ found, open = false }: { readonly found: readonly TriedInput[]; readonly open?: boolean }) {
  if (!found.length) return null;
  return (
    <details open={open}>
      <summary>{tn("{n} difference in total", "Differences of {n} inputs", found.length)}</summary>
      <ul className="editor-differences">
        {found.slice(0, MOST_LISTED).map((each) => (
          <li key={`${each.execution} ${each.version}`}>
            <a href={`${each.url}versions/${each.version}/`} target="_blank" rel="noreferrer">
              <span translate="no">{each.execution}</span>, {t("version {n}", { n: each.version })}
            </a>
            {each.tokens && <span className="text-secondary"> · {t("{before} → {after} tokens", { before: grouped(each.tokens[0]), after: grouped(each.tokens[1]) })}</span>}
            {each.problem && <div className="what-if-problem">{each.problem}</div>}
            {each.gone_edges.length > 0 && <div className="what-if-problem">{t("Edges that no longer lead here: {edges}", { edges: each.gone_edges.join(", ") })}</div>}
            <ul className="what-if-lines">
              {each.lines.map(({ kind, word, what, why }) => (
                <li key={`${kind} ${what}`}>
                  <span className={`badge what-if-${kind}`}>{word}</span> <span translate="no">{what}</span> {why && <span className="small text-secondary">{why}</span>}
                </li>
              ))}
              {each.more > 0 && <li className="text-secondary">{tn("and {n} more", "and {n} more", each.more)}</li>}
            </ul>
          </li>
        ))}
        {found.length > MOST_LISTED && <li className="text-secondary">{tn("and {n} more", "and {n} more", found.length - MOST_LISTED)}</li>}
      </ul>
    </details>
  );
}
