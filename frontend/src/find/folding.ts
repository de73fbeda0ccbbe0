// A text without the differences of case, accents, widths and white space, as the server compares texts.

// A letter with its accents; the parts of Hangul syllables stand together.
const PIECES = /\s+|[\u1100-\u11ff]+|\P{M}\p{M}*|\p{M}+/gu;
const ACCENTS = /[\u0300-\u036f]/g;

export function folded(text: string): string {
  const lower = text.replace(/\s+/gu, " ").toLowerCase();
  if (/^[\0-\x7f]*$/.test(lower)) return lower;
  // Back together: the parts of a Hangul syllable are letters of their own.
  const plain = lower.normalize("NFKD").replace(ACCENTS, "").normalize("NFC");
  return plain.toLowerCase().replaceAll("ß", "ss").replaceAll("ς", "σ");
}

/** A folded text, and for each part of it where in the text begins and ends what it was made of. */
export interface FoldedText {
  readonly letters: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

export function foldedWithPlaces(text: string): FoldedText {
  const known = new Map<string, string>();
  const [starts, ends]: [number[], number[]] = [[], []];
  let letters = "";
  for (const { 0: piece, index } of text.matchAll(PIECES)) {
    const into = known.get(piece) ?? folded(piece);
    known.set(piece, into);
    letters += into;
    for (const _ of into.split("")) {
      starts.push(index);
      ends.push(index + piece.length);
    }
  }
  return { letters, starts, ends };
}
