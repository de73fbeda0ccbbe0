// Shows and announces a notice: what was done, or why an action did not happen.

export function warn(text: string): void {
  show(text, "warning");
}

export function toast(text: string): void {
  show(text, "success");
}

function show(text: string, tone: string): void {
  document.dispatchEvent(new CustomEvent("toast", { detail: { text, tone } }));
}
