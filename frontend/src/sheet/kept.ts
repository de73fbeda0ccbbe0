// What was typed into a sheet that was closed, until it is applied: in this tab, for the same person.

const PREFIX = "sheet:";

export interface Typed {
  readonly text: string | null;
  readonly reason: string;
}

/** Where the text of a form is kept: with the action and the messages of the very view it is about. */
function keyOf(form: HTMLFormElement): string {
  const sent = new FormData(form);
  const about = ["do", "positions", "revision", "count"].map((name) => String(sent.get(name) ?? ""));
  return PREFIX + JSON.stringify([document.body.dataset.person, location.pathname, ...about]);
}

function fieldsOf(form: HTMLFormElement): [HTMLTextAreaElement | null, HTMLInputElement | null] {
  return [form.querySelector("textarea[name=text]"), form.querySelector("input[name=reason]")];
}

export function keep(form: HTMLFormElement): void {
  const [text, reason] = fieldsOf(form);
  const isTyped = (text !== null && text.value !== text.defaultValue) || Boolean(reason?.value);
  try {
    if (!isTyped) return sessionStorage.removeItem(keyOf(form));
    sessionStorage.setItem(keyOf(form), JSON.stringify({ text: text?.value ?? null, reason: reason?.value ?? "" } satisfies Typed));
  } catch {
    // A browser that keeps nothing, or a text that is too large.
  }
}

export function forget(form: HTMLFormElement): void {
  try {
    sessionStorage.removeItem(keyOf(form));
  } catch {
    // A browser that keeps nothing.
  }
}

function readTyped(text: string | null): Typed | null {
  try {
    const found = JSON.parse(text ?? "null") as Partial<Typed> | null;
    return typeof found?.reason === "string" ? { text: found.text ?? null, reason: found.reason } : null;
  } catch {
    return null;
  }
}

/** Fills in what was typed before; true if there was something. */
export function bringBack(form: HTMLFormElement): boolean {
  let typed: Typed | null = null;
  try {
    typed = readTyped(sessionStorage.getItem(keyOf(form)));
  } catch {
    // A browser that keeps nothing.
  }
  if (typed === null) return false;
  const [text, reason] = fieldsOf(form);
  if (reason) reason.value = typed.reason;
  if (text && typed.text !== null && typed.text !== text.value) {
    text.value = typed.text;
    text.dispatchEvent(new Event("input", { bubbles: true })); // its effect is asked for
  }
  return true;
}
