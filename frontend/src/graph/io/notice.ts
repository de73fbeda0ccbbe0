// A notice that everybody sees and hears: why what somebody asked for did not happen.

export function warn(text: string): void {
  document.dispatchEvent(new CustomEvent("toast", { detail: { text, tone: "warning" } }));
}
