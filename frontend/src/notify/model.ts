// Which notifications a browser shows: each once for all its tabs, and none from before it was
// open.

const MOST_TOLD = 100;
const STALE_MS = 10 * 60_000;

export interface Piece {
  readonly id: string;
  readonly said: string;
  readonly link: string;
}

/** Where to ask: behind what was heard last, unless that is too long ago. */
export function addressOf(url: string, after: string, now: number): string {
  const isFresh = after !== "" && now - Date.parse(after) < STALE_MS;
  return isFresh ? `${url}?after=${encodeURIComponent(after)}` : url;
}

interface News {
  readonly news: readonly Piece[];
  /** The ids that were told, for all tabs; the latest first. */
  readonly told: readonly string[];
}

export function newsIn(results: readonly Piece[], told: readonly string[]): News {
  const news = results.filter(({ id }) => !told.includes(id));
  return { news, told: [...news.map(({ id }) => id), ...told].slice(0, MOST_TOLD) };
}

/** The ids that a tab wrote down; none if it is no list of them. */
export function readTold(text: string | null): readonly string[] {
  try {
    const found: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found.filter((id): id is string => typeof id === "string") : [];
  } catch {
    return [];
  }
}
