// How many rows the parts of a card take, so that all of them stay within its border.

/** The rows of a card: of its line of what it sees, whether its tokens are shown, and of its cost. */
export interface Rows {
  readonly seen: 1 | 2;
  readonly hasTokens: boolean;
  readonly cost: 1 | 2;
}

/** The widths of what a card says, 0 for what it leaves out, in the sizes of its letters. */
export interface CardTexts {
  readonly seen: number;
  readonly tokens: number;
  readonly cost: number;
  readonly nameRows: number;
  /** Of the name, and of all else. */
  readonly letters: { readonly name: number; readonly other: number };
  /** Within its border. */
  readonly room: { readonly width: number; readonly height: number };
}

// As graph.css has them: a sign before the name, which gives its padding to a cost in two rows, the
// heights of rows, and the gap between figures.
const SIGN = { share: 1.1, padding: 6 };
const ROW = { name: 1.12, seen: 1.12, figures: 1.15 };
const GAP = 8;

/** The fullest way in which a card with figures has room for all its rows; its tokens go before its cost does. */
export function rowsOf(said: CardTexts): Rows {
  const rows = (width: number): 1 | 2 => (width > said.room.width ? 2 : 1);
  const [seen, cost] = [rows(said.seen), rows(said.cost)];
  const wishes: Rows[] = [
    { seen, hasTokens: true, cost },
    { seen: 1, hasTokens: true, cost },
    { seen, hasTokens: false, cost },
    { seen: 1, hasTokens: false, cost },
  ];
  return wishes.find((wish) => heightOf(wish, said) <= said.room.height) ?? { seen: 1, hasTokens: !said.cost, cost: 1 };
}

function heightOf({ seen, hasTokens, cost }: Rows, { letters, nameRows, tokens, cost: width, room }: CardTexts): number {
  const sign = letters.name * SIGN.share + (cost === 2 ? 0 : SIGN.padding);
  const name = Math.max(nameRows * letters.name * ROW.name, sign);
  const tokenRows = hasTokens && tokens ? 1 : 0;
  const isShared = tokenRows && width && cost === 1 && tokens + GAP + width <= room.width;
  const figures = isShared ? 1 : tokenRows + (width ? cost : 0);
  return name + seen * letters.other * ROW.seen + figures * letters.other * ROW.figures;
}
