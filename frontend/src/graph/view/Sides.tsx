// One side of a conflict: the fields in which it differs from the others, with what is new marked.

import { shown } from "../../state/model/hidden";
import type { Told } from "../io/telling";
import { changed, differing, type Row } from "../model/sides";
import { t } from "../texts";

interface Props {
  readonly told: Told | undefined;
  /** Which of base, mine and theirs. */
  readonly side: 0 | 1 | 2;
  /** The same as JSON, for what has no words; undefined if it is not there. */
  readonly json: string | undefined;
}

export function SideOf({ told, side, json }: Props) {
  if (json === undefined) return <p className="text-secondary">{t("Not there")}</p>;
  if (!told) return <p className="text-secondary">{t("Looking…")}</p>;
  const rows = differing(told);
  // The same words for what is not the same: it is of what no form asks for.
  if (!rows?.length) return <Fold json={json} />;
  const inWords = rows.filter(({ isJson }) => !isJson);
  const others = rows.filter(({ isJson }) => isJson);
  return (
    <>
      {inWords.length > 0 && (
        <dl className="editor-side">
          {inWords.map((row) => (
            <div key={row.label}>
              <dt>{row.label}</dt>
              <dd>
                <Text row={row} side={side} wasThere={told[0] !== undefined} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {others.map((row) => (
        <Fold key={row.label} label={row.label} json={row.sides[side]?.join("\n") || t("Nothing")} />
      ))}
    </>
  );
}

function Text({ row, side, wasThere }: { readonly row: Row; readonly side: 0 | 1 | 2; readonly wasThere: boolean }) {
  const [before = [], now = []] = [row.sides[0], row.sides[side]];
  const lines = side === 0 || !wasThere ? now.map((text) => [{ kind: "same" as const, text }]) : changed(before, now);
  if (!lines.length) return <span className="text-secondary">{t("Nothing")}</span>;
  return lines.map((parts, place) => (
    <div key={place} dir="auto">
      {parts.map(({ kind, text }, at) => (kind === "same" ? <span key={at}>{shown(text)}</span> : kind === "gone" ? <del key={at}>{shown(text)}</del> : <ins key={at}>{shown(text)}</ins>))}
    </div>
  ));
}

function Fold({ label, json }: { readonly label?: string; readonly json: string }) {
  return (
    <details className="editor-fold">
      <summary>{label ? t("{label}, as JSON", { label }) : t("As JSON")}</summary>
      <pre tabIndex={0} translate="no">
        {json}
      </pre>
    </details>
  );
}
