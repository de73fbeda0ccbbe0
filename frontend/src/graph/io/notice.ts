// Shows and announces a notice: what was done, or why an action did not happen.

/** Says what an action found, and goes away by itself. */
export function hint(text: string): void {
  show(text, "info");
}

export function warn(text: string): void {
  show(text, "warning");
}

export function toast(text: string): void {
  show(text, "success");
}

function show(text: string, tone: string): void {
  document.dispatchEvent(new CustomEvent("toast", { detail: { text, tone } }));
}
