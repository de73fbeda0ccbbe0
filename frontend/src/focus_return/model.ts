// Which control has the focus again on the page that a form led to.

export interface Place {
  readonly path: string;
  /** Of the form: the path that it is sent to. */
  readonly action: string;
  /** Which of the forms with this action, from 0. */
  readonly number: number;
  /** Of the control that had the focus; "" if it has none. */
  readonly name: string;
  readonly value: string;
  /** How many controls of the form have this name. */
  readonly peers: number;
  /** Whether it was sent by a key. */
  readonly byKeys: boolean;
  /** Whether what it did is to be in sight. */
  readonly reports: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const LONGEST_MS = 30_000;

/** The place that the page before wrote down; null if it is none, or too old to be of the last form. */
export function readPlace(text: string | null, now: number): Place | null {
  try {
    const { path, action, number, name, value, peers, byKeys = true, reports = false, at } = (JSON.parse(text ?? "") ?? {}) as Partial<Place>;
    if (typeof path !== "string" || typeof action !== "string" || typeof name !== "string" || typeof value !== "string") return null;
    if (typeof number !== "number" || typeof peers !== "number" || typeof at !== "number" || now - at > LONGEST_MS) return null;
    return { path, action, number, name, value, peers, byKeys, reports, at };
  } catch {
    return null;
  }
}

/** The controls of the form on the next page. */
export interface Control {
  readonly name: string;
  readonly value: string;
}

/**
 * The number of the control that stands where the former one stood, -1 if none does: the same one, or the
 * only one of a name that only one had. Of several buttons another would do something else.
 */
export function controlFor({ name, value, peers }: Pick<Place, "name" | "value" | "peers">, controls: readonly Control[]): number {
  const same = controls.findIndex((each) => each.name === name && each.value === value);
  if (same >= 0) return same;
  const named = controls.filter((each) => each.name === name);
  return peers === 1 && named.length === 1 ? controls.indexOf(named[0] as Control) : -1;
}
