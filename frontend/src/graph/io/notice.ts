// Shows and announces a notice: why an action did not happen.

export function warn(text: string): void {
  document.dispatchEvent(new CustomEvent("toast", { detail: { text, tone: "warning" } }));
}
