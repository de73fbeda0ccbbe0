// What was typed into a form while the server asked to sign in, and what becomes of it on the next page.

export type Fields = readonly (readonly [name: string, value: string])[];

export interface Draft {
  readonly person: string;
  /** The page after it asked to sign in, or found the form out of date: it is brought back on the next one. */
  readonly waits: boolean;
  /** What is sent in place of the button; "" if the form is filled in again. */
  readonly again: string;
  readonly fields: Fields;
}

/** The draft that a page wrote down; null if it is none. */
export function readDraft(text: string | null): Draft | null {
  try {
    const found = JSON.parse(text ?? "") as Partial<Draft> | null;
    const { person, waits, again, fields } = found ?? {};
    if (typeof person !== "string" || typeof again !== "string" || !Array.isArray(fields)) return null;
    return { person, waits: waits === true, again, fields };
  } catch {
    return null;
  }
}

export interface Page {
  readonly person: string;
  readonly path: string;
  /** It has the form of the draft. */
  readonly hasForm: boolean;
  /** Its selection opens the form of the draft. */
  readonly opensForm: boolean;
}

/** What a page does with a draft of the form that is sent to `path`. */
export function useOf({ person, waits, again }: Draft, path: string, page: Page): "send" | "fill" | "open" | "nothing" {
  if (!waits || person !== page.person) return "nothing";
  if (again) return page.path === path ? "send" : "nothing";
  if (page.hasForm) return "fill";
  return page.opensForm ? "open" : "nothing";
}

/** The fields that are sent again: `step=review` stands for the button, the token is the page's own. */
export function sentAgain({ again, fields }: Draft, token: readonly [name: string, value: string]): Fields {
  const at = again.indexOf("=");
  return [...fields, [again.slice(0, at), again.slice(at + 1)], token];
}

const NEVER_FILLED = new Set(["hidden", "submit", "button", "password", "file"]);

/** What a field gets back: a value, whether it is selected, or nothing. */
export function filledIn(field: { readonly name: string; readonly type: string; readonly value: string }, fields: Fields): { readonly value?: string; readonly checked?: boolean } | null {
  if (!field.name || NEVER_FILLED.has(field.type)) return null;
  const sent = fields.filter(([name]) => name === field.name).map(([, value]) => value);
  if (field.type === "checkbox" || field.type === "radio") return { checked: sent.includes(field.value) };
  return sent.length ? { value: sent[0] } : {};
}
