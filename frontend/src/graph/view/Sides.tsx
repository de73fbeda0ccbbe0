// One side of a conflict: the fields in which it differs from the others, with changes marked.

import { named, shown } from "../../state/model/hidden";
import type { Told } from "../io/conflict_texts";
import { inLines, type Piece } from "../model/sides";
import { t } from "../texts";

// Longer texts scroll within the dialog, so that the other fields and the choice stay in reach.
const LONG = 2000;
const LONG_LINES = 40;

interface Props {
  /** Undefined as long as it is not known. */
  readonly told: Told | undefined;
  /** Which of base, mine and theirs. */
  readonly side: 0 | 1 | 2;
  /** The same as JSON, for what has no words; undefined if it is not there. */
  readonly json: string | undefined;
  /** It was there before, and this side has removed it. */
  readonly isDeleted: boolean;
}

export function SideOf({ told, side, json, isDeleted }: Props) {
  if (json === undefined) return <p className="text-secondary">{isDeleted ? t("Deleted") : t("Not present")}</p>;
  if (told === undefined) return <p className="text-secondary">{t("Loading…")}</p>;
  // The same words for what is not the same: it is of what no form asks for.
  if (!told?.length) return <Fold pieces={[{ kind: "same", text: json }]} />;
  const inWords = told.filter(({ is_json }) => !is_json);
  const others = told.filter(({ is_json }) => is_json);
  return (
    <>
      {inWords.length > 0 && (
        <dl className="editor-side">
          {inWords.map(({ label, sides }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <Text label={label} pieces={sides[side]} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {others.map(({ label, sides }) => (
        <Fold key={label} label={label} pieces={sides[side]} />
      ))}
    </>
  );
}

function Text({ label, pieces }: { readonly label: string; readonly pieces: readonly Piece[] }) {
  if (!pieces.length) return <span className="text-secondary">{t("Nothing")}</span>;
  const lines = inLines(pieces).map((line, place) => (
    <p key={place} dir="auto">
      <Marked pieces={line} />
    </p>
  ));
  if (pieces.reduce((length, { text }) => length + text.length, 0) <= LONG && lines.length <= LONG_LINES) return lines;
  return (
    <div className="editor-long" role="group" aria-label={label} tabIndex={0}>
      {lines}
    </div>
  );
}

function Fold({ label, pieces }: { readonly label?: string; readonly pieces: readonly Piece[] }) {
  return (
    <details className="editor-fold">
      <summary>{label ? t("{label}, as JSON", { label }) : t("As JSON")}</summary>
      <pre tabIndex={0} translate="no">
        {pieces.length ? inLines(pieces).map((line, place) => <p key={place}><Marked pieces={line} isJson /></p>) : t("Nothing")}
      </pre>
    </details>
  );
}

function Marked({ pieces, isJson = false }: { readonly pieces: readonly Piece[]; readonly isJson?: boolean }) {
  const tags = { same: "span", removed: "del", added: "ins" } as const;
  return pieces.map(({ kind, text }, place) => {
    const Tag = tags[kind];
    return <Tag key={place}>{isJson ? shown(text) : named(text)}</Tag>;
  });
}
